import { describe, expect, it } from "vitest";
import { reportModel } from "../../src/report/model.js";
import { renderPage } from "../../src/report/page/page.js";
import { artifactOf } from "../support/guard-artifact.js";
import { LANGUAGE_1_1_PACK } from "../support/language-1-1-pack.js";
import { bareContent } from "./content.js";
import { textOf } from "./page-text.js";

const ARTIFACT = artifactOf(LANGUAGE_1_1_PACK);
const TEXT = textOf(renderPage(bareContent(ARTIFACT))).replace(/\s+/g, " ");

describe("the page for reviewers of a pack of language 1.1", () => {
  it.each([
    ["an invariant", "An order is named. The argument $.id must be given."],
    ["transitions", "Nothing after the end. May be called only in the phase open."],
    ["a policy", 'No robots. Allowed only for callers with $.kind other than "robot".'],
    ["a checkpoint", "Large amounts are looked at. A person must approve when args.amount > 500"],
    ["a session's checkpoint", "Long notes. A person must approve (odd) when size(args.note) > 10"],
    ["a precondition", "Look before you pay. Needs an earlier call of look."],
    ["requires of the session", 'Nothing after tainted input. Required: !("tainted" in labels).'],
    ["requires, with let", "Small amounts. Required: (args.amount <= constants.most) || slots.order[args.id].vip."],
    ["ensures", "Never more than asked for. Required: output.paid <= args.amount; otherwise the result is withheld"],
    ["an argument value", "A real amount. The argument $.amount must be a number."],
    ["an execution constraint", "Within reason. The argument $.amount must be greater than 0 and less than 9000."],
    ["per", "the sum of $.amount of pay, for each value of $.customer apart, must stay at or below 1000: A budget"],
    ["max_calls_per_step", "A step has at most 2 calls"],
    ["binds with a key", "$ of its result as order for each $.id of its result"],
    ["binds with decode", "$.text of its result, decoded, as profile"],
    ["binds with collect", "$.id of its arguments among paid"],
    ["unbinds", "Forgetsorder for each $.id of its arguments"],
    ["what unbinds a slot", "entries cleared by pay"],
    ["what reads a slot", "required for ship: Paid first"],
    ["slot_limits", "At most 50 entries are kept"],
    ["constants", 'constants.fees{"at":1,"sea":2}ship'],
    ["timezone", "read in the time zone Europe/Berlin"],
  ])("says what %s says, the reason first", (_key, words) => {
    expect(TEXT).toContain(words);
  });

  it("has them in its data", () => {
    const [pack] = reportModel(ARTIFACT).packs;
    expect(pack).toMatchObject({
      timezone: "Europe/Berlin",
      constants: { most: 100, fees: { at: 1, sea: 2 } },
      aggregates: [{ name: "budget", per: "$.customer" }],
      slots: [
        { name: "order", kind: "keyed", limit: 50, readers: ["pay"] },
        { name: "paid", kind: "union", limit: 9, readers: ["ship"] },
        { name: "profile", readers: ["pay"] },
      ],
    });
  });

  it("does not call tools free that an expression keeps from some callers, or refuses for a label", () => {
    const artifact = artifactOf(`#== session.yaml (with the required fields)
schema_version: "1.1"
#== pay.yaml (with the required fields)
side_effect: financial
requires:
  - { that: principal.role == "teller", reason: Tellers pay }
  - { that: '!("fraud" in labels)', reason: Nothing is paid under suspicion }
`);
    const text = textOf(renderPage(bareContent(artifact))).replace(/\s+/g, " ");
    expect(text).not.toContain("Every caller may.");
    expect(text).not.toContain("No call needs an approval, and no label blocks a tool.");
    expect(text).toMatch(/Who may call them ?pay ?Tellers pay\. Required: principal\.role == "teller"\./);
    expect(text).toMatch(/Label ?pay ?Nothing is paid under suspicion\./);
    // Always refused, with approval, limited, only for some callers, after other calls, none of these.
    expect(text).toMatch(/financial ?1 ?pay ?0 ?0 ?0 ?1 ?pay ?0 ?0/);
  });
});
