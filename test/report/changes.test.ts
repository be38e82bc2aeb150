import { describe, expect, it } from "vitest";
import type { Change, Difference } from "../../src/analysis/difference.js";
import { renderHtml } from "../../src/report/html.js";
import { bareContent, exampleArtifact, refundsDifference } from "./content.js";
import { textOf, verdictOf } from "./page-text.js";

const NOTHING = { tools: [], before: null, after: null, oldRule: null, newRule: null } as const;

const LOST: Change = {
  ...NOTHING,
  kind: "removed",
  what: "rule",
  name: "May be called at most 9 times in a session.",
  tools: ["get_order"],
  before: "May be called at most 9 times in a session.",
};

async function pageWith(...changes: readonly Change[]): Promise<string> {
  const content = bareContent(exampleArtifact("refunds"));
  const difference: Difference = await refundsDifference(content.artifact);
  return renderHtml({ ...content, difference: [{ ...difference, changes: [...difference.changes, ...changes] }] });
}

/** The text of what unfolds for a tool or a phase. */
function cardOf(page: string, name: string): string {
  const cards = page.split('<details class="card"').map(textOf);
  return cards.find((card) => card.includes(`\n${name} `) && card.includes("Written in")) ?? "";
}

describe("what changed since the older pack", () => {
  it("does not make a tool that lost a rule look as if it were gone", async () => {
    const card = cardOf(await pageWith(LOST), "get_order");
    expect(card).toContain("read rule removed");
    expect(card).not.toContain("read removed");
  });

  it("says of a new tool that it is new", async () => {
    expect(cardOf(await pageWith(), "send_receipt")).toContain("write added");
  });

  it("keeps what a tool has lost where everything else about it stands", async () => {
    expect(cardOf(await pageWith(LOST), "get_order")).toContain(`Rules that were taken away${LOST.name}removed`);
  });

  it("has the old words of a rule beside the new ones", async () => {
    expect(cardOf(await pageWith(), "issue_refund")).toContain(
      "Before: A person must approve when $.amount is at least 100",
    );
  });

  it("marks a new way in the drawing, and explains the mark", async () => {
    const way: Change = { ...NOTHING, kind: "added", what: "transition", name: "refunded → assessed" };
    expect((await pageWith(way)).match(/class="way changed"/g)).toHaveLength(1);
    expect(await pageWith()).not.toContain('class="way changed"');
    expect(textOf(await pageWith())).toContain("What changed since the older pack is outlined in dots.");
    expect(renderHtml(bareContent(exampleArtifact("refunds")))).not.toContain("outlined in dots");
  });

  it("is counted at the top, with the calls that it lets through", async () => {
    expect(verdictOf(await pageWith())).toContain("; 3 changes, 1 newly allowed call shown");
  });
});
