import { describe, expect, it } from "vitest";
import { renderDot } from "../../src/report/dot.js";
import { renderMermaid } from "../../src/report/mermaid.js";
import { reportModel, stayingTools } from "../../src/report/model.js";
import { artifactOf } from "../support/guard-artifact.js";

const NASTY = 'a"b; --> [*] : x\\n<script> # %% } é 日本';

const ARTIFACT = artifactOf(`
#== session.yaml (with the required fields)
phases:
  - { name: ${JSON.stringify(NASTY)}, initial: true }
  - { name: __proto__ }
  - { name: done, terminal: true }
transitions:
  ${JSON.stringify(NASTY)}: [__proto__, done]
  __proto__: [done]
#== look.yaml (with the required fields)
#== go.yaml (with the required fields)
transitions: { valid_in_phases: [${JSON.stringify(NASTY)}], advances_to: __proto__ }
#== shut.yaml (with the required fields)
gate: block
transitions: { valid_in_phases: [__proto__], advances_to: done }
`);

const model = reportModel(ARTIFACT);

describe("the model of a report", () => {
  it("tells which tools take a transition, and leaves out those that are refused anyway", () => {
    const [pack] = model.packs;
    expect(pack?.transitions.map(({ from, to, tools }) => [from, to, tools])).toEqual([
      ["__proto__", "done", []],
      [NASTY, "__proto__", ["go"]],
      [NASTY, "done", []],
    ]);
    expect(pack?.tools.map(({ name, isBlocked, phases }) => [name, isBlocked, phases])).toEqual([
      ["go", false, [NASTY]],
      ["look", false, null],
      ["shut", true, ["__proto__"]],
    ]);
  });

  it("tells which tools may be called in a phase without leaving it", () => {
    const [pack] = model.packs;
    if (pack === undefined) throw new Error("no pack");
    expect(stayingTools(pack, "__proto__").map(({ name }) => name)).toEqual(["look"]);
  });
});

describe("drawings", () => {
  it("keep names from being taken for syntax in Mermaid", () => {
    const lines = renderMermaid(model).trimEnd().split("\n");
    for (const line of lines) {
      expect(line).toMatch(
        /^(?:stateDiagram-v2|\s+(?:state "[\w.,/() #;-]*" as p\d|\[\*\] --> p\d|p\d --> (?:\[\*\]|p\d : [\w.,/() #;-]+)|note right of p\d : [\w.,/() #;-]+))$/,
      );
    }
    expect(lines).toHaveLength(1 + 3 + 1 + 3 + 1 + 3);
  });

  it("keep names from being taken for syntax in DOT", () => {
    const text = renderDot(model);
    const withoutStrings = text.replace(/"(?:[^"\\]|\\.)*"/gs, '""');
    expect(withoutStrings).toMatch(/^[\w\s{}[\]=;,>"-]*$/);
    expect(withoutStrings.match(/->/g)).toHaveLength(4);
    expect(text).toContain('a\\"b; --> [*] : x\\\\n<script> # %% } é 日本');
  });
});
