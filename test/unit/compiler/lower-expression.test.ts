import { describe, expect, it } from "vitest";
import type { CompiledPack, CompiledTool } from "../../../src/artifact/compiled.js";
import { compileFolder } from "../../../src/compiler/compile-pack.js";
import { withPack } from "../../support/pack-text.js";

function packOf(text: string): CompiledPack {
  return withPack(text, (folder) => {
    const { artifact, diagnostics } = compileFolder(folder);
    const [pack] = artifact?.packs ?? [];
    if (pack === undefined) throw new Error(JSON.stringify(diagnostics.map(({ message }) => message)));
    return pack;
  });
}

const SESSION = `#== session.yaml (with the required fields)
schema_version: "1.1"
let:
  small: args.amount <= 100
requires:
  - { that: small, reason: Small amounts only }
  - { that: "!args.vip", reason: No favours, tools: [look_up] }
checkpoints:
  - { name: late, tool: "*", when: [{ that: now.getHours() > 17 }], timeout_seconds: 60 }
`;

const REFUND = `#== refund.yaml (with the required fields)
let:
  small: args.amount <= 50
binds:
  - { name: last, path: $.id }
argument_value_invariants:
  - { path: $.currency, one_of: [EUR] }
requires:
  - that: small
    reason: Refunds are smaller still
ensures:
  - that: output.paid <= args.amount
    reason: Never more than asked for
checkpoint:
  when:
    - { path: $.amount, gte: 40 }
    - { that: 'args.amount > 30 && "vip" in labels' }
  timeout_seconds: 60
`;

function toolIn({ tools }: CompiledPack, name: string): CompiledTool {
  const tool = tools.find((each) => each.name === name);
  if (tool === undefined) throw new Error(`no ${name}`);
  return tool;
}

const amount = { kind: "member", of: { kind: "variable", name: "args" }, name: "amount" };

describe("an expression in the artifact", () => {
  const pack = packOf(`${SESSION}${REFUND}#== look_up.yaml (with the required fields)\n`);

  it("is judged after all other checks of the arguments, the session's first", () => {
    const { checks } = toolIn(pack, "refund");
    expect(checks.map(({ kind }) => kind)).toEqual([
      "argument_invariant",
      "capture",
      "requires",
      "requires",
      "checkpoint",
      "checkpoint",
    ]);
    const required = checks.flatMap((check) => (check.kind === "requires" ? [check] : []));
    expect(required).toEqual([
      {
        kind: "requires",
        at: { file: "session.yaml", line: 5 },
        reason: "Small amounts only",
        that: {
          text: "args.amount <= 100",
          tree: { kind: "binary", op: "<=", left: amount, right: { kind: "number", text: "100" } },
        },
      },
      {
        kind: "requires",
        at: { file: "refund.yaml", line: 8 },
        reason: "Refunds are smaller still",
        that: {
          text: "args.amount <= 50",
          tree: { kind: "binary", op: "<=", left: amount, right: { kind: "number", text: "50" } },
        },
      },
    ]);
  });

  it("is for the tools that the entry names", () => {
    const required = toolIn(pack, "look_up").checks.flatMap((check) =>
      check.kind === "requires" ? [check.reason] : [],
    );
    expect(required).toEqual(["Small amounts only", "No favours"]);
  });

  it("is for tools without a contract too, unless the entry names tools", () => {
    const required = pack.unmatched_checks.flatMap((check) => (check.kind === "requires" ? [check.reason] : []));
    expect(required).toEqual(["Small amounts only"]);
  });

  it("is what a tool ensures", () => {
    expect(toolIn(pack, "refund").ensures).toEqual([
      {
        at: { file: "refund.yaml", line: 11 },
        reason: "Never more than asked for",
        that: {
          text: "output.paid <= args.amount",
          tree: {
            kind: "binary",
            op: "<=",
            left: { kind: "member", of: { kind: "variable", name: "output" }, name: "paid" },
            right: amount,
          },
        },
      },
    ]);
    expect("ensures" in toolIn(pack, "look_up")).toBe(false);
  });

  it("is a condition of a checkpoint", () => {
    const when = toolIn(pack, "refund").checks.flatMap((check) => (check.kind === "checkpoint" ? [check.when] : []));
    expect(when.map((each) => each?.map((entry) => ("that" in entry ? entry.that.text : entry.path.text)))).toEqual([
      ["$.amount", 'args.amount > 30 && "vip" in labels'],
      ["now.getHours() > 17"],
    ]);
  });

  it("needs a principal where it reads one", () => {
    expect(pack.needs_principal).toBe(false);
    const reads = (key: string, that: string) =>
      packOf(`#== session.yaml (with the required fields)
schema_version: "1.1"
#== refund.yaml (with the required fields)
let:
  me: principal.id
${key}:
  - { that: "${that}", reason: Own only }
`).needs_principal;
    expect(reads("requires", "me == args.owner")).toBe(true);
    expect(reads("ensures", "output.owner == me")).toBe(true);
  });
});

describe("an expression that is tagged as a text", () => {
  it("is that text", () => {
    const { tools } = packOf(`#== session.yaml (with the required fields)
schema_version: "1.1"
#== refund.yaml (with the required fields)
requires:
  - { that: !!str args.vip, reason: Only for some }
`);
    expect(tools.flatMap(({ checks }) => checks.map(({ kind }) => kind))).toEqual(["requires"]);
  });
});
