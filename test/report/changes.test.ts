import { describe, expect, it } from "vitest";
import type { Change, Difference } from "../../src/analysis/difference.js";
import { renderPage } from "../../src/report/page/page.js";
import { bareContent, exampleArtifact, refundsDifference } from "./content.js";
import { textOf, verdictOf } from "./page-text.js";

const NOTHING = {
  tools: [],
  before: null,
  after: null,
  oldRule: null,
  newRule: null,
  direction: "weaker",
  at: null,
} as const;

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
  return renderPage({ ...content, difference: [{ ...difference, changes: [...difference.changes, ...changes] }] });
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
    expect(cardOf(await pageWith(LOST), "get_order")).toContain(`Removed rules${LOST.name}removed`);
  });

  it("has the old words of a rule beside the new ones", async () => {
    expect(cardOf(await pageWith(), "issue_refund")).toContain(
      "Before: A person must approve when $.amount is at least 100",
    );
  });

  it("marks a new transition in the drawing, and explains the mark", async () => {
    const added: Change = { ...NOTHING, kind: "added", what: "transition", name: "refunded → assessed" };
    expect((await pageWith(added)).match(/class="transition changed"/g)).toHaveLength(1);
    expect(await pageWith()).not.toContain('class="transition changed"');
    expect(textOf(await pageWith())).toContain("What changed since the older pack is outlined in dots.");
    expect(renderPage(bareContent(exampleArtifact("refunds")))).not.toContain("outlined in dots");
  });

  it("says what is weaker, and what is not shown to be as strong", async () => {
    const unknown: Change = { ...NOTHING, kind: "changed", what: "setting", name: "binds", direction: "unknown" };
    const text = textOf(await pageWith(LOST, unknown));
    expect(text).toContain("4 changes are weaker, or not shown to be as strong.");
    expect(text).toContain("changed not shown to be as strong");
    expect(verdictOf(await pageWith(LOST))).toContain("3 weaker or not shown to be as strong");
  });

  it("marks every rule that changed in the same way", async () => {
    const first = await refundsDifference(exampleArtifact("refunds"));
    const changes = first.changes.map(({ newRule, ...change }) => ({
      ...change,
      newRule: null,
      others: [{ oldRule: null, newRule }],
    }));
    const content = bareContent(exampleArtifact("refunds"));
    const page = renderPage({ ...content, difference: [{ ...first, changes }] });
    expect(cardOf(page, "issue_refund")).toContain("Before: A person must approve when $.amount is at least 100");
  });

  it("is proved to judge no call differently only where all of it says the same", async () => {
    const content = bareContent(exampleArtifact("refunds"));
    const words: Change = { ...NOTHING, kind: "changed", what: "rule", name: "x", direction: "same" };
    const difference = { ...(await refundsDifference(content.artifact)), divergences: [], isLoosened: false };
    const textWith = (change: Change) =>
      textOf(renderPage({ ...content, difference: [{ ...difference, changes: [change] }] }));
    expect(textWith(words)).toContain("No call is judged differently.");
    expect(textWith({ ...words, direction: "stronger" })).not.toContain("No call is judged differently.");
  });

  it("is counted at the top, with the calls that it lets through", async () => {
    expect(verdictOf(await pageWith())).toContain("; 3 changes, 1 newly allowed call shown");
  });
});
