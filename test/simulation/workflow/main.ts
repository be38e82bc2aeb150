import { parseArgs } from "node:util";
import { DELIBERATE_FAULTS } from "./deliberate-faults.js";
import { simulateWorkflows } from "./simulation.js";

/** `npm run simulate:workflow`: see ../simulate.mjs. */
const { values } = parseArgs({
  options: {
    seed: { type: "string", default: "1" },
    steps: { type: "string", default: "100000" },
    world: { type: "string" },
    prove: { type: "boolean", default: false },
    trace: { type: "boolean", default: false },
    format: { type: "string", default: "text" },
  },
});

function whole(name: string, text: string): number {
  if (/^[0-9]+$/.test(text)) return Number(text);
  console.error(`--${name} takes a whole number, not ${text}`);
  process.exit(2);
}

/** Every deliberate fault in turn, until some world finds it. */
async function prove(): Promise<void> {
  for (const [name, put] of Object.entries(DELIBERATE_FAULTS)) {
    const takeOut = put();
    const { steps, finding } = await simulateWorkflows(1, 60_000);
    takeOut();
    console.log(JSON.stringify({ name, steps, invariant: finding?.invariant ?? null }));
  }
}

if (values.prove) {
  await prove();
  process.exit(0);
}

const started = performance.now();
const report = await simulateWorkflows(whole("seed", values.seed), whole("steps", values.steps), {
  only: values.world === undefined ? null : whole("world", values.world),
  say: values.trace ? (text) => console.log(text) : null,
});
const { coverage, finding, ...figures } = report;
const perSecond = Math.round(report.steps / ((performance.now() - started) / 1000));
if (values.format === "json") {
  console.log(JSON.stringify({ ...figures, perSecond, finding, coverage, missing: coverage.missing }));
} else {
  console.log(coverage.toJSON());
  console.log({ ...figures, perSecond });
  if (coverage.missing.length > 0) console.log(`never happened: ${coverage.missing.join(", ")}`);
  if (finding !== null) {
    console.log(`step ${finding.step} of world ${finding.world}: ${finding.detail}`);
    console.log(`again: npm run simulate:workflow -- --seed ${finding.seed} --world ${finding.world} --trace`);
  }
}
process.exitCode = finding === null ? 0 : 1;
