import { parseArgs } from "node:util";
import { DELIBERATE_FAULTS } from "./deliberate-faults.js";
import { KEPT_SEEDS } from "./seeds.js";
import { simulate } from "./simulation.js";

/** `npm run simulate`: see simulate.mjs. */
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    steps: { type: "string", default: "200000" },
    world: { type: "string" },
    break: { type: "string" },
    prove: { type: "boolean", default: false },
    kept: { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
    format: { type: "string", default: "text" },
  },
});

function whole(name: string, text: string): number {
  if (/^[0-9]+$/.test(text)) return Number(text);
  console.error(`--${name} takes a whole number, not ${text}`);
  process.exit(2);
}

/** Worlds that are tried after the one that found a fault before: any change of the code may move it. */
const OTHER_WORLDS = Array.from({ length: 20 }, (_, world) => world);

/** Every deliberate fault in turn, in the first of some worlds that finds it. */
async function prove(): Promise<void> {
  for (const [name, { seed, world, put }] of Object.entries(DELIBERATE_FAULTS)) {
    let steps = 0;
    let invariant: string | null = null;
    for (const only of [world, ...OTHER_WORLDS]) {
      const takeOut = put();
      const tried = await simulate(seed, 0, { only });
      takeOut();
      steps += tried.steps;
      invariant = tried.finding?.invariant ?? null;
      if (invariant !== null) break;
    }
    console.log(JSON.stringify({ name, steps, invariant }));
  }
}

/** Every world that found a bug once. */
async function tryKept(): Promise<void> {
  for (const { bug, seed, world } of KEPT_SEEDS) {
    const { finding } = await simulate(seed, 0, { only: world });
    console.log(JSON.stringify({ bug, finding }));
  }
}

function breakIt(name: string): void {
  const fault = DELIBERATE_FAULTS[name];
  if (fault === undefined) {
    console.error(`--break takes one of: ${Object.keys(DELIBERATE_FAULTS).join("; ")}`);
    process.exit(2);
  }
  fault.put();
}

if (values.prove) {
  await prove();
  process.exit(0);
}
if (values.kept) {
  await tryKept();
  process.exit(0);
}
if (values.break !== undefined) breakIt(values.break);

const started = performance.now();
const report = await simulate(whole("seed", values.seed), whole("steps", values.steps), {
  only: values.world === undefined ? null : whole("world", values.world),
  say: values.trace ? (text) => console.log(text) : null,
});
const seconds = (performance.now() - started) / 1000;
const { user, system } = process.cpuUsage();
const busy = (user + system) / 1_000_000;
const { coverage, finding, ...figures } = report;
const rates = { perSecond: Math.round(report.steps / seconds), perBusySecond: Math.round(report.steps / busy) };
if (values.format === "json") {
  console.log(JSON.stringify({ ...figures, ...rates, finding, coverage, missing: coverage.missing }));
} else {
  console.log(coverage.toJSON());
  console.log({ ...figures, ...rates });
  if (coverage.missing.length > 0) console.log(`never happened: ${coverage.missing.join(", ")}`);
  if (finding !== null) {
    console.log(`step ${finding.step} of world ${finding.world}: ${finding.detail}`);
    console.log(`again: npm run simulate -- --seed ${finding.seed} --world ${finding.world} --trace`);
  }
}
process.exitCode = finding === null ? 0 : 1;
