import { html } from "../markup.js";
import type { ReportContent } from "../report-content.js";
import { badge, codeText, placeLink, type Section, section } from "./parts.js";

/** What compiling the pack found. */
export function findingsSection({ findings, sources }: ReportContent): Section {
  const rows = findings.map(
    ({ severity, code, message, file, line, help }) =>
      html`<li class="rule"><p>${badge(severity === "error" ? "bad" : "warn", severity)} ${codeText(message)}</p>${help === null ? null : html`<p class="quiet">${codeText(help)}</p>`}<p class="facts"><code>${code}</code> ${placeLink(sources, { file, line })}</p></li>
`,
  );
  const body =
    rows.length === 0
      ? html`<p class="quiet">Compiling the pack found nothing to fix.</p>`
      : html`<ul class="rules">${rows}</ul>`;
  return section("findings", "Findings", body, { note: String(findings.length) });
}
