import { openStore } from "../../dist/bundle/stores.js";

/**
 * A process that appends to a store. Each argument is JSON: where the store is, the name of this writer, how many records
 * it adds (null for no end) and to which stream. It prints a line for every append that was answered.
 */
const { url, writer, count, stream, options } = JSON.parse(process.argv[2] ?? "{}");

const store = await openStore(url, options);
process.stdout.write("opened\n");
for (let index = 0; count === null || index < count; index += 1) {
  const data = `${writer}-${index}`;
  for (let attempt = 0; ; attempt += 1) {
    const { revision } = await store.load(stream);
    const snapshot = revision % 50 === 49 ? { snapshot: String(revision + 1) } : {};
    const write = { stream, expectedRevision: revision, records: [data], head: "{}", ...snapshot };
    const { kind } = await store.append(`${data}-${attempt}`, [write]);
    if (kind === "appended") break;
  }
  process.stdout.write(`${data}\n`);
}
await store.close();
process.stdout.write("done\n");
