import type { Change } from "../../analysis/difference.js";
import { html, type Part } from "../markup.js";
import type { ReportContent } from "../report-content.js";
import { directionBadge } from "./change-marks.js";
import { badge, codeText } from "./parts.js";

const PREFIX = "workflow: ";

/** What changed in a workflow since the older artifact. */
export class WorkflowChanges {
  private readonly changes: readonly Change[];
  private readonly names: ReadonlySet<string>;

  /** They are with the first pack, which the page does not show if it has no tools. */
  constructor({ difference }: ReportContent) {
    const all = difference[0]?.changes ?? [];
    this.changes = all.filter(
      ({ what, name }) => what === "setting" && (name === "workflow" || name.startsWith(PREFIX)),
    );
    this.names = new Set(this.changes.map(({ name }) => name));
  }

  get isEmpty(): boolean {
    return this.changes.length === 0;
  }

  hasRole(role: string): boolean {
    return this.names.has(`${PREFIX}role ${role}`);
  }

  hasHandoff(from: string, to: string): boolean {
    return this.names.has(`${PREFIX}handoff ${from} → ${to}`);
  }

  /** The changes with both forms; nothing where there are none. */
  list(): Part {
    if (this.isEmpty) return null;
    const rows = this.changes.map((change) => {
      const { name, before, after } = change;
      const what = name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name;
      const mark = change.direction === "stronger" ? badge("accent", "stronger") : directionBadge(change);
      return html`<li class="rule"><p>${mark} ${what}</p><p class="quiet">Before: ${codeText(before ?? "none")}</p><p class="quiet">Now: ${codeText(after ?? "none")}</p></li>
`;
    });
    return html`<h3>Changed since the older pack</h3><ul class="rules">${rows}</ul>`;
  }
}
