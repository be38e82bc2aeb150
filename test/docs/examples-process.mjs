/**
 * Runs examples one after the other, each when the one before has nothing left to do: files of modules are its arguments, and what each of
 * them printed is its output. One process for all of them, because loading the package takes longer than most examples.
 */
import { writeSync } from "node:fs";
import { pathToFileURL } from "node:url";

const waiting = process.argv.slice(2);
const ran = [];

const add = (key) => (text) => {
  ran.at(-1)[key] += text;
  return true;
};
process.stdout.write = add("stdout");
process.stderr.write = add("stderr");

const fail = (cause) => add("stderr")(`${cause?.stack ?? cause}\n`);
process.on("unhandledRejection", fail);
process.on("uncaughtException", fail);
process.on("beforeExit", () => {
  const file = waiting.shift();
  if (file === undefined) return;
  ran.push({ stdout: "", stderr: "" });
  import(pathToFileURL(file).href).catch(fail);
});
process.on("exit", () => writeSync(1, JSON.stringify(ran)));
