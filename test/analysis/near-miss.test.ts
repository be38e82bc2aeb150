import { describe, expect, it } from "vitest";
import { verify } from "../../src/analysis/verify.js";
import { PackRules } from "../../src/artifact/pack-rules.js";
import { compileFolder } from "../../src/compiler/compile-pack.js";
import { withPack } from "../support/pack-text.js";

const tool = (name: string, text = "") => `#== ${name}.yaml (with the required fields)\n${text}`;
const session = (text: string) => `#== session.yaml (with the required fields)\n${text}`;
const needing = (name: string) => `preconditions: [{ requires_prior_tool: ${name} }]\n`;

/** What is nearest to each tool and rule: the calls before, and the kinds of rules that refuse the last one. */
async function missesIn(text: string) {
  const { artifact, diagnostics } = withPack(text, (folder) => compileFolder(folder));
  const [pack] = artifact?.packs ?? [];
  if (artifact === null || pack === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const [found] = await verify(artifact, []);
  const known = new PackRules(pack);
  const kindOf = (id: string) => known.all.find((rule) => rule.id === id)?.body.kind;
  const shown = (miss: NonNullable<typeof found>["tools"][number]["miss"]) =>
    miss === null
      ? null
      : {
          calls: miss.trace.steps.map((step) =>
            step.kind === "call" ? `${step.tool} ${step.verdict.kind}` : step.kind,
          ),
          refusedBy: miss.refusedBy.map(kindOf),
        };
  return {
    tools: Object.fromEntries((found?.tools ?? []).map(({ tool: name, miss }) => [name, shown(miss)])),
    rules: (found?.rules ?? []).map(({ rule, status, miss }) => ({ kind: kindOf(rule), status, miss: shown(miss) })),
  };
}

describe("the nearest miss", () => {
  it("of a tool that is never allowed is the session in which the fewest rules refuse it", async () => {
    const { tools } = await missesIn(
      tool("login") +
        tool("never", "gate: block\n") +
        tool("pay", `${needing("login")}`.replace("]", `, { requires_prior_tool: never }]`)),
    );
    expect(tools.pay).toEqual({ calls: ["login allow", "pay block"], refusedBy: ["precondition"] });
    expect(tools.login).toBeNull();
  });

  it("of a tool whose arguments contradict each other needs no other call", async () => {
    const { tools } = await missesIn(
      tool(
        "pay",
        `assertions: { input_invariants: [{ path: "$.n", gte: 5 }, { path: "$.n", lte: 3 }], output_invariants: [] }\n`,
      ),
    );
    expect(tools.pay).toEqual({ calls: ["pay block"], refusedBy: ["input_invariant"] });
  });

  it("of a limit that another one is below is the session that the other one ends", async () => {
    const { rules } = await missesIn(
      session("session_limits: { max_tool_calls: 3, max_calls_per_tool: { pay: 5 } }\n") + tool("pay"),
    );
    expect(rules.find(({ kind }) => kind === "max_calls_per_tool")).toEqual({
      kind: "max_calls_per_tool",
      status: "cannot_fire",
      miss: { calls: ["pay allow", "pay allow", "pay allow", "pay block"], refusedBy: ["max_tool_calls"] },
    });
  });

  it("of a rule about a tool that is never called is what keeps that tool from being called", async () => {
    const { rules } = await missesIn(tool("close", "gate: block\nforbids_after: [pay]\n") + tool("pay"));
    expect(rules.find(({ kind }) => kind === "forbidden_by")).toEqual({
      kind: "forbidden_by",
      status: "cannot_fire",
      miss: { calls: ["close block"], refusedBy: ["gate"] },
    });
  });

  it("is not given for what is shown", async () => {
    const { tools, rules } = await missesIn(tool("login") + tool("pay", needing("login")));
    expect(Object.values(tools)).toEqual([null, null]);
    expect(rules.filter(({ miss }) => miss !== null)).toEqual([]);
  });
});
