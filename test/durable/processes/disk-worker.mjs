import { rmSync, writeFileSync } from "node:fs";
import { guardOf, openWorkStore, say, work } from "./paying.mjs";

/** A worker on a file system that it fills: it says what becomes of its payments, before, while and after that. */
const store = await openWorkStore();
const guard = await guardOf(store, { storeTimeoutMs: 1_000, settleTimeoutMs: 60_000 });
const filler = `${work.folder}/filler`;

/** Down to the last byte: smaller and smaller pieces, until none fits. */
function fill() {
  for (let size = 2 ** 20; size >= 1; size /= 2) while (isAdded(size));
}

function isAdded(size) {
  try {
    writeFileSync(filler, Buffer.alloc(size), { flag: "a" });
    return true;
  } catch {
    return false;
  }
}

/** One payment; `meanwhile` runs while its tool is at work. */
async function pay(reference, meanwhile = () => {}) {
  const wrapped = guard.wrap(async () => {
    say("effect", reference);
    meanwhile();
    return {};
  });
  return wrapped("pay", { reference, amount: 1, note: "x".repeat(50_000) }).then(
    () => "paid",
    ({ verdict, name }) => verdict?.reason ?? name,
  );
}

say(await pay("before"));
const ended = pay("under-way", fill);
setTimeout(() => rmSync(filler), 3_000);
// It waits until its result can be recorded; meanwhile nothing else is allowed.
await new Promise((resolve) => setTimeout(resolve, 500));
say(await pay("while"));
say(await ended);
say(await pay("after"));
say(JSON.stringify(guard.state()));
await store.close();
