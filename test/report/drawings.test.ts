import { describe, expect, it } from "vitest";
import { renderDot } from "../../src/report/dot.js";
import { layoutPack } from "../../src/report/layout.js";
import { renderMermaid } from "../../src/report/mermaid.js";
import { reportModel, stayingTools } from "../../src/report/model.js";
import { renderSvg } from "../../src/report/svg.js";
import { artifactOf } from "../support/guard-artifact.js";

const NASTY = 'a"b; --> [*] : x\\n<script> # %% } é 日本';

const PACK = `
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
`;

const model = reportModel(artifactOf(PACK));

/** The tags that are left open, or closed without being opened. */
function openTags(xml: string): readonly string[] {
  const open: string[] = [];
  for (const [, end, name = "", , isEmpty] of xml.matchAll(/<(\/?)([a-z]+)((?:\s+[\w:-]+="[^"<]*")*)\s*(\/?)>/g)) {
    if (end === "/") {
      if (open.pop() !== name) return [name];
    } else if (isEmpty !== "/") open.push(name);
  }
  return open;
}

describe("the model of a report", () => {
  it("shows which tools take a transition, and leaves out those that are refused anyway", () => {
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

  it("are well-formed XML in SVG, whatever the names are", () => {
    const svg = renderSvg(
      reportModel(
        artifactOf(
          PACK.replace("done, terminal", '"do\\u0007ne", terminal')
            .replaceAll("done]", '"do\\u0007ne"]')
            .replace("advances_to: done", 'advances_to: "do\\u0007ne"'),
        ),
      ),
    );
    expect(openTags(svg)).toEqual([]);
    expect(svg).toContain("a&#34;b; --&#62; [*] : x");
    expect(svg).toContain("do\ufffdne");
    expect(svg.match(/<path class="transition"/g)).toHaveLength(3);
    expect(svg.match(/<rect class="(?:box|end)"/g)).toHaveLength(3);
  });

  it("lay boxes out without overlap, from left to right", () => {
    const [pack] = model.packs;
    if (pack === undefined) throw new Error("no pack");
    const { boxes, transitions, width, height } = layoutPack(pack);
    const overlaps = boxes.filter((a, at) =>
      boxes
        .slice(at + 1)
        .some((b) => Math.abs(a.x - b.x) < (a.width + b.width) / 2 && Math.abs(a.y - b.y) < (a.height + b.height) / 2),
    );
    expect(overlaps).toEqual([]);
    expect(
      boxes.every(({ x, y, ...box }) => x >= box.width / 2 && x <= width && y >= box.height / 2 && y <= height),
    ).toBe(true);
    expect(transitions.every(({ points }) => points.length >= 2)).toBe(true);
  });
});
