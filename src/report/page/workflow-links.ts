import type { Artifact } from "../../artifact/compiled.js";
import { html, type Markup, type Part } from "../markup.js";
import { nameList, toolLink } from "./parts.js";
import type { PackView } from "./view.js";

/** Links from the workflow to the packs of its roles. */
export class RoleLinks {
  private readonly views: ReadonlyMap<string, PackView>;

  constructor({ workflow, packs }: Artifact, views: readonly PackView[]) {
    this.views = new Map(
      (workflow?.roles ?? []).flatMap(({ name, pack }) => {
        const view = views.find((candidate) => candidate.pack === packs[pack]);
        return view === undefined ? [] : [[name, view] as const];
      }),
    );
  }

  /** The pack of a role; undefined where the page shows none, because it has no tools. */
  viewOf(role: string): PackView | undefined {
    return this.views.get(role);
  }

  /** A role; a link to its pack. */
  role(name: string): Markup {
    const view = this.viewOf(name);
    if (view === undefined) return html`<code>${name}</code>`;
    return html`<a class="name" href="#p${view.index}" data-go="${view.index}"><code>${name}</code></a>`;
  }

  /** A sentence with its names marked: roles are links, and so are tools of the role that it is about. */
  sentence(text: string, about: string | null = null): Markup {
    const parts = text.split("`");
    const names = parts.filter((_, at) => at % 2 === 1);
    const view = this.viewOf(about ?? names.find((name) => this.views.has(name)) ?? "");
    const made = parts.map((part, at): Part => {
      if (at % 2 === 0) return part;
      if (view?.toolIndex.has(part) === true) return toolLink(view, part);
      return this.role(part);
    });
    return html`<span data-pack="${view?.index ?? 0}">${made}</span>`;
  }

  /** Tools of a role. */
  tools(role: string, tools: readonly string[]): Part {
    const view = this.viewOf(role);
    if (view === undefined || tools.length === 0) return html`<span class="quiet">none</span>`;
    return html`<span data-pack="${view.index}">${nameList(tools.map((tool) => toolLink(view, tool)))}</span>`;
  }
}
