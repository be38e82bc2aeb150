import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { ReplayedSession } from "../../src/cli/replay/replayed-session.js";
import { compilePack } from "../../src/compiler/compile-pack.js";
import { REPOSITORY, waitForCli } from "../support/run-cli.js";
import { wordlessRules } from "../support/wordless-rules.js";

const DATA = `${REPOSITORY}../shared/data/tau2/retail`;
const PACK = `${REPOSITORY}contracts/retail`;

const AUTHENTICATED = "The user is authenticated first, by email, or by name and zip code";
const ONE_USER = "One user is helped per conversation; requests about any other user are denied";
const MODIFIED_ONCE = "The items of an order are modified once; after that it can be neither modified nor cancelled";

/** The sentence of the policy that each kind of bad call breaks; null where no rule of the pack has words for it. */
const SENTENCES: Readonly<Record<string, string | null>> = {
  no_auth_mutation: AUTHENTICATED,
  failed_auth_mutation: AUTHENTICATED,
  no_auth_read: AUTHENTICATED,
  other_user_order: ONE_USER,
  other_user_profile: ONE_USER,
  no_status_check: "The status of an order is checked before any action on it",
  cancel_not_pending: "Only an order with the status 'pending' can be cancelled",
  modify_not_pending: "Only an order with the status 'pending' can be modified",
  return_exchange_not_delivered: "Only an order with the status 'delivered' can be returned or exchanged",
  second_item_modification: MODIFIED_ONCE,
  cancel_after_item_modification: MODIFIED_ONCE,
  address_after_item_modification: MODIFIED_ONCE,
  second_return_or_exchange: "An order is returned or exchanged once; all items go into one call",
  invalid_cancel_reason:
    "The reason is either 'no longer needed' or 'ordered by mistake'; other reasons are not acceptable",
  payment_not_in_profile: "A payment method is one of the user's profile",
  refund_to_third_method: "The refund goes to the original payment method, or to an existing gift card",
  same_payment_method: "The new payment method differs from the original one",
  gift_card_insufficient: "A gift card has enough balance to cover the total amount",
  duplicate_items: "Only items of the order are named, none more often than it was ordered",
  item_count_mismatch: "Every item has a new one at the same place of the list",
  cross_product_swap: "There is no change of product types, such as from a shirt to a shoe",
  unavailable_item: "The new item is available",
  same_item_swap: "The new item is of a different product option",
  wrong_type: "Arguments are texts, or lists of texts where the tool says so",
  missing_argument: "A tool is called with all the arguments that it declares",
  extra_argument: "A tool is called with the arguments that it declares, and with no others",
  order_id_without_hash: "An order id begins with a '#' sign",
  mutation_after_transfer: "Once the user is transferred to a human agent, the agent takes no further action",
  // A tool without a contract, and a limit of calls, are refused without a rule that could have words.
  unknown_tool: null,
  loop_calls: null,
};

async function replayed(file: string): Promise<readonly ReplayedSession[]> {
  const { stdout } = await waitForCli(["replay", PACK, `${DATA}/${file}`, "--format", "json"]);
  return (JSON.parse(stdout) as { sessions: readonly ReplayedSession[] }).sessions;
}

function lines<T>(file: string): readonly T[] {
  const text = readFileSync(`${DATA}/${file}`, "utf8");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as T]));
}

it("has words of the policy in every rule of the retail pack that can have them", async () => {
  const { artifact } = await compilePack(PACK);
  expect(artifact === null ? null : wordlessRules(artifact)).toEqual([]);
});

describe.skipIf(!existsSync(DATA))("the retail pack on recorded sessions of a public benchmark", () => {
  it("refuses no call that keeps the policy", async () => {
    const sessions = await replayed("completed.jsonl");
    expect(sessions).toHaveLength(109);
    expect(sessions.filter(({ first_block: first }) => first !== null)).toEqual([]);
  });

  it("refuses the bad call, none before it, with the sentence that it breaks", async () => {
    const sessions = await replayed("violations.jsonl");
    const bad = lines<{ readonly kind: string; readonly bad_index: number }>("violations.jsonl");
    const missed: string[] = [];
    let named = 0;
    for (const [index, { kind, bad_index: at }] of bad.entries()) {
      const session = sessions[index];
      if (session?.first_block === at) {
        const because = session.verdicts[at]?.because ?? null;
        if (because !== null && because === SENTENCES[kind]) named += 1;
      } else {
        expect(session?.first_block, `session ${index} is refused too early`).toBeNull();
        missed.push(kind);
      }
    }
    expect(bad).toHaveLength(445);
    // Calls that the tool answered with an error did not happen, so they are not counted: one session made its 31st call with one.
    expect(missed).toEqual(["loop_calls"]);
    expect(named).toBe(420);
  });
});
