import { html, type Markup } from "../markup.js";

/** Where the script of the page steps through a trace, below the drawing; hidden until one is chosen. */
export function player(id: string, label: string): Markup {
  return html`<div class="player" id="${id}" role="group" aria-label="${label}" hidden>
<div class="player-controls"><button type="button" data-player="previous">Previous</button><span class="player-count" aria-live="polite"></span><button type="button" data-player="next">Next</button><button type="button" data-player="last">Last</button><span class="quiet keys">or the arrow keys; Escape closes</span><button type="button" data-player="close">Close</button></div>
<h3 class="player-title" tabindex="-1"></h3>
<p class="player-setting quiet"></p>
<div class="player-parts"><ol class="player-steps"></ol><div class="player-step" aria-live="polite"></div></div></div>`;
}
