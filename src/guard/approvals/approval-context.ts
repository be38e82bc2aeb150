import type { CheckOf } from "../../artifact/compiled.js";
import { memberCost, ownKeys, sharingBudget, spend, withinShare } from "../../base/cost.js";
import { isJsonList, type Json } from "../../base/json.js";
import { readAll } from "../values/read-path.js";

/** Shown instead of a value that takes more work than one judgement may take. */
const TOO_MUCH = "(too much work to show)";

/** A copy: an approver must not change what is judged and counted. */
function copyOf(value: Json): Json {
  spend(8);
  if (typeof value !== "object" || value === null) return value;
  if (isJsonList(value)) return value.map(copyOf);
  const keys = ownKeys(value);
  spend(2 * memberCost(keys.length));
  return Object.fromEntries(keys.map((key) => [key, copyOf(value[key] ?? null)]));
}

/** The parts of the arguments that an approver sees; all of them within one budget of work. */
export function contextOf(
  fields: CheckOf<"checkpoint">["context"],
  args: Json,
): readonly { readonly label: string; readonly value: Json }[] {
  return sharingBudget(() =>
    fields.map(({ label, path }) => ({
      label,
      value: withinShare<Json>(
        () => copyOf(readAll(path, args)[0] ?? null),
        () => TOO_MUCH,
      ),
    })),
  );
}
