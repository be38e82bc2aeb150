import { writeSync } from "node:fs";

/** What a worker is told, as JSON in its first argument. */
export const work = JSON.parse(process.argv[2] ?? "{}");

/** At once and whole, so that nothing that was said is lost when the process is killed. */
export function say(...words) {
  writeSync(1, `${words.join(" ")}\n`);
}
