import { expect, it } from "vitest";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { createGuard } from "../../src/guard/entry.js";
import { artifactOf } from "../support/guard-artifact.js";
import { memory } from "../workflow/team.js";

const PACK = artifactOf("#== look.yaml (with the required fields)\n");

/** A store whose first answer to one kind of request is no answer of a store. */
function answering(inner: DurableStore, fault: "list" | "append"): DurableStore {
  const store: DurableStore = Object.create(inner);
  const once = async () => {
    Reflect.deleteProperty(store, fault);
    return null;
  };
  return Object.assign(store, { [fault]: once });
}

it.each(["list", "append"] as const)("no session begins whose artifact may not be stored: %s", async (fault) => {
  const inner = await memory();
  const store = answering(inner, fault);
  const open = () => createGuard(PACK, { store, sessionId: "one" });
  await expect(open()).rejects.toMatchObject({ name: "StoreUnavailable" });
  expect(await inner.list({ prefix: "session/" })).toEqual([]);
  await open();
  expect(await inner.list({ prefix: "artifact/" })).toHaveLength(1);
});
