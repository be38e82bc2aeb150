import type { CheckOf } from "../../artifact/compiled.js";
import { memberCost, ownKeys, sharingBudget, spend, withinShare } from "../../base/cost.js";
import { isJsonList, type Json } from "../../base/json.js";
import { readAll } from "../values/read-path.js";

/** What stands for a value that takes more work to show than one judgement may take. */
const TOO_MUCH = "(too much work to show)";

/** A copy: what an approver does to it is not what is judged and counted. */
function copyOf(value: Json): Json {
  spend(8);
  if (typeof value !== "object" || value === null) return value;
  if (isJsonList(value)) return value.map(copyOf);
  const keys = ownKeys(value);
  spend(2 * memberCost(keys.length));
  return Object.fromEntries(keys.map((key) => [key, copyOf(value[key] ?? null)]));
}

/** What an approver is shown of the arguments; all of it within one budget of work. */
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
