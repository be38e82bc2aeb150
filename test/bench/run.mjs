import { parseArgs } from "node:util";
import { GROUPS } from "./figures/index.mjs";
import { describeMachine } from "./machine.mjs";
import { printTable } from "./table.mjs";

/**
 * Measures the built package in dist/.
 *   node test/bench/run.mjs                   tables for people
 *   node test/bench/run.mjs --json            one JSON object on stdout, progress on stderr
 *   node test/bench/run.mjs --only compile    only figures whose name starts so
 * A missed goal is shown and does not fail the run: a benchmark informs, it does not gate.
 */
const { values } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string", default: "" } },
});

const isWanted = (name) => name.startsWith(values.only);
const groups = GROUPS.filter(({ figures }) => figures.some(isWanted));
const figures = {};
const tables = [];
for (const { title, run } of groups) {
  process.stderr.write(`${title} …\n`);
  const result = await run((step) => process.stderr.write(`  ${step}\n`));
  for (const [name, figure] of Object.entries(result.figures)) if (isWanted(name)) figures[name] = figure;
  tables.push({ title, ...result.table });
}

if (Object.keys(figures).length === 0) {
  process.stderr.write(
    `no figure starts with \`${values.only}\`; known: ${GROUPS.flatMap((group) => group.figures).join(", ")}\n`,
  );
}
const machine = describeMachine();
if (values.json) process.stdout.write(`${JSON.stringify({ figures, machine }, null, 2)}\n`);
else printAll();

function printAll() {
  for (const table of tables) printTable(table);
  const rows = Object.entries(figures).map(([name, { value, unit, goal, ok, reason }]) => [
    name,
    value ?? "-",
    unit,
    goal,
    ok === null ? `skipped: ${reason}` : ok ? "met" : "MISSED",
  ]);
  printTable({ title: "Figures", columns: ["name", "value", "unit", "goal", ""], rows });
  const missed = Object.keys(figures).filter((name) => figures[name].ok === false);
  if (missed.length > 0) process.stdout.write(`GOALS MISSED: ${missed.join(", ")}\n\n`);
  process.stdout.write(`${Object.values(machine).join(", ")}\n`);
}
