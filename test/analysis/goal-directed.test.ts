import { describe, expect, it } from "vitest";
import { verify } from "../../src/analysis/verify.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { withPack } from "../support/pack-text.js";

const tool = (name: string, text = "") => `#== ${name}.yaml (with the required fields)\n${text}`;
const session = (text: string) => `#== session.yaml (with the required fields)\n${text}`;
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const binds = (slot: string) => `binds: [{ name: ${slot}, source: output, path: "$.v" }]\n`;
const refs = (count: number) =>
  `argument_value_invariants: [${numbers(count).map((at) => `{ path: "$.a${at}", ref: s${at} }`)}]\n`;

/** The verification of a pack, and how often each tool is called in the session that shows the last one. */
async function verified(text: string) {
  const { artifact, diagnostics } = withPack(text, (folder) => compileFolder(folder));
  if (artifact === null) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const [found] = await verify(artifact, []);
  if (found === undefined) throw new Error("no pack");
  return found;
}

describe("what needs many calls before it", () => {
  it("is found where it refers to twelve slots, and each of those rules alone", async () => {
    const pack = numbers(12).map((at) => tool(`get${at}`, binds(`s${at}`)));
    const { tools, rules, bounds } = await verified(pack.join("") + tool("use", refs(12)));
    expect(tools.map(({ status }) => status)).toEqual(numbers(13).map(() => "allowed"));
    expect(rules.map(({ status }) => status)).toEqual(numbers(12).map(() => "fires"));
    expect(tools.at(-1)?.trace?.steps.length).toBe(13);
    expect(bounds.explored).toBeLessThan(500);
  });

  it("is found where each slot is bound in a phase that is left for good", async () => {
    const phases = numbers(13).map(
      (at) => `{ name: p${at}${at === 0 ? ", initial: true" : ""}${at === 12 ? ", terminal: true" : ""} }`,
    );
    const moves = numbers(12).map((at) => `p${at}: [p${at + 1}]`);
    const pack = numbers(12).map(
      (at) =>
        tool(`go${at}`, `transitions: { valid_in_phases: [p${at}], advances_to: p${at + 1} }\n`) +
        tool(`get${at}`, `transitions: { valid_in_phases: [p${at}] }\n${binds(`s${at}`)}`),
    );
    const text = `${session(`phases: [${phases}]\ntransitions: { ${moves.join(", ")} }\n`)}${pack.join("")}`;
    const { tools } = await verified(text + tool("use", `transitions: { valid_in_phases: [p12] }\n${refs(12)}`));
    expect(tools.find((found) => found.tool === "use")).toMatchObject({ status: "allowed" });
    expect(tools.find((found) => found.tool === "use")?.trace?.steps.length).toBe(25);
  });

  it("is found behind a chain of forty calls", async () => {
    const chain = numbers(40).map((at) =>
      tool(`t${at}`, at === 0 ? "" : `preconditions: [{ requires_prior_tool: t${at - 1} }]\n`),
    );
    const { tools } = await verified(chain.join(""));
    expect(tools.every(({ status }) => status === "allowed")).toBe(true);
  });

  it("is found behind six hundred calls", async () => {
    const limits = "session_limits: { max_tool_calls: 900, max_calls_per_tool: { pay: 600 } }\n";
    const { rules } = await verified(session(limits) + tool("pay") + tool("look"));
    expect(rules.map(({ status }) => status)).toEqual(["fires", "fires"]);
  });
});

describe("a session that gets stuck", () => {
  const PHASES = session(
    `phases: [{ name: open, initial: true }, { name: half }, { name: done, terminal: true }]
transitions: { open: [half, done], half: [done] }
policy:
  default_deny: false
  rules: [{ deny: { principal: { path: "$.role", equals: clerk }, tools: [finish] } }]
`,
  );
  const calls =
    tool("end", "transitions: { valid_in_phases: [open], advances_to: done }\n") +
    tool("begin", "transitions: { valid_in_phases: [open], advances_to: half }\n");
  const finish = tool("finish", "transitions: { valid_in_phases: [half], advances_to: done }\n");

  it("is found for every principal that could have ended it", async () => {
    const { stuck } = await verified(PHASES + calls + finish);
    expect(stuck.map(({ phase, isProved, trace }) => ({ phase, isProved, principal: trace.principal }))).toEqual([
      { phase: "half", isProved: true, principal: expect.objectContaining({ role: "clerk" }) },
    ]);
  });

  it("is none of a principal that may do nothing", async () => {
    const { stuck } = await verified(PHASES.replace("[finish]", "[finish, end, begin]") + calls + finish);
    expect(stuck).toEqual([]);
  });
});
