import { describe, expect, it } from "vitest";
import type { ArtifactBody } from "../../src/artifact/compiled.js";
import { type DecodeResult, decodeArtifact, type Refusal } from "../../src/artifact/decode.js";
import { encodeArtifact, seal } from "../../src/artifact/encode.js";
import { compile } from "../../src/compiler/compile.js";
import { changed, entriesOf, kindsOf, nameOf, type Trail } from "../support/artifact-parts.js";
import { EXAMPLE_PACKS } from "../support/example-packs.js";
import { memoryTree, packBytes } from "../support/memory-tree.js";
import { randomFrom } from "../support/random.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";

const SEED = seedOf("DECODE_SEED", 1);
const POSITIONS = sizeOf("DECODE_POSITIONS", { share: 1_000, full: 2_000 });
const EQUALS = /"op":"equals","value":[^}]*/;
const REFUSALS: readonly Refusal[] = [
  "not_json",
  "unknown_format",
  "malformed_artifact",
  "dangling_reference",
  "hash_mismatch",
  "not_canonical",
];

function textOf(name: string): string {
  const files = EXAMPLE_PACKS.find((pack) => pack.name === name)?.files ?? [];
  const { artifact } = compile(memoryTree(packBytes(files)));
  if (artifact === null) throw new Error(`${name} does not compile`);
  return encodeArtifact(artifact);
}

/** Decodes a changed artifact whose hash is right, so that only its structure can give it away. */
function decodeSealed(value: unknown): DecodeResult {
  const body = changed(value, [], (artifact) => Reflect.deleteProperty(artifact, "hash"));
  return decodeArtifact(encodeArtifact(seal(body as ArtifactBody))); // on purpose not what the type says
}

/** What language version 1.1 added is absent from the artifact of a pack that does not use it. */
const OPTIONAL: ReadonlySet<string> = new Set(["as", "because", "definition", "key", "slots", "unbinds"]);

const REFUNDS = textOf("refunds");
const SAMPLES = ["refunds", "trading", "code-review"].map((name) => {
  const value: unknown = JSON.parse(textOf(name));
  const trails = kindsOf(entriesOf(value)).filter(([root]) => root !== "hash" && root !== "format");
  return [name, value, trails] as const;
});

/** Refusals that do not name the part, each with the part; none is expected. */
function unnamed(trails: readonly Trail[], decode: (trail: Trail) => DecodeResult): readonly string[] {
  return trails.flatMap((trail) => {
    const result = decode(trail);
    const isNamed = !result.ok && result.refusal === "malformed_artifact" && result.message.includes(nameOf(trail));
    return isNamed ? [] : [`${nameOf(trail)}: ${result.ok ? "accepted" : `${result.refusal}, ${result.message}`}`];
  });
}

describe("a changed byte", () => {
  const changes: readonly (readonly [string, (text: string, at: number, other: string) => string])[] = [
    ["replaced", (text, at, other) => text.slice(0, at) + other + text.slice(at + 1)],
    ["deleted", (text, at) => text.slice(0, at) + text.slice(at + 1)],
    ["inserted", (text, at, other) => text.slice(0, at) + other + text.slice(at)],
  ];

  it.each(changes)("that is %s is refused by name", (_, change) => {
    const random = randomFrom(SEED);
    for (let run = 0; run < POSITIONS / changes.length; run++) {
      const at = random.below(REFUNDS.length);
      const other = random.pick([...' \n09az"{}[]:,\\é'].filter((character) => character !== REFUNDS[at]));
      const result = decodeArtifact(change(REFUNDS, at, other));
      const about = `${JSON.stringify(other)} at ${at} of the refunds artifact`;
      expect({ about, ...result }).toMatchObject({ ok: false, refusal: expect.toBeOneOf([...REFUSALS]) });
    }
  });

  it("at the end is refused", () => {
    expect(decodeArtifact(REFUNDS.trimEnd())).toMatchObject({ ok: false, refusal: "not_canonical" });
    expect(decodeArtifact(`${REFUNDS}\n`)).toMatchObject({ ok: false, refusal: "not_canonical" });
  });

  it("that cuts the artifact off is refused", () => {
    for (let length = 1; length < REFUNDS.length - 1; length += 97) {
      expect(decodeArtifact(REFUNDS.slice(0, length))).toMatchObject({ ok: false, refusal: "not_json" });
    }
  });
});

describe.each(SAMPLES)("the parts of the artifact of %s", (_, value, trails) => {
  it("are all needed", () => {
    const decode = (trail: Trail) => {
      const key = trail.at(-1) ?? "";
      return decodeSealed(changed(value, trail.slice(0, -1), (object) => Reflect.deleteProperty(object, key)));
    };
    const required = trails.filter((trail) => !OPTIONAL.has(String(trail.at(-1))));
    expect(unnamed(required, decode)).toEqual([]);
  });

  it("leave no room for others", () => {
    const decode = (trail: Trail) => {
      return decodeSealed(changed(value, trail.slice(0, -1), (object) => Reflect.set(object, String(trail.at(-1)), 1)));
    };
    const beside = trails.map((trail) => [...trail.slice(0, -1), "surplus"]);
    expect(
      unnamed(
        kindsOf(beside).filter(({ length }) => length > 1),
        decode,
      ),
    ).toEqual([]);
  });

  it("are refused by name with a value of another type", () => {
    const free = /\.(?:value|values\[\d+\])$/;
    const typed = trails.filter((trail) => !free.test(nameOf(trail)));
    const decode = (trail: Trail) => {
      const key = trail.at(-1) ?? "";
      return decodeSealed(
        changed(value, trail.slice(0, -1), (object) => Reflect.set(object, key, { unexpected: true })),
      );
    };
    expect(unnamed(typed, decode)).toEqual([]);
  });
});

function withIndex(name: string, find: RegExp, replacement: string): DecodeResult {
  const text = textOf(name);
  expect(text).toMatch(find);
  return decodeSealed(JSON.parse(text.replace(find, replacement)));
}

describe("references", () => {
  it.each([
    ["an aggregate that is not there", "refunds", /"index":\d+,"kind":"aggregate"/, '"index":99,"kind":"aggregate"'],
    ["an envelope that is not there", "trading", /"index":\d+,"kind":"envelope"/, '"index":99,"kind":"envelope"'],
    ["a pack that is not there", "code-review", /"pack":\d+/, '"pack":99'],
    ["a schema that is not there", "refunds", /"root":\[/, '"root":[{"def":99,"kind":"ref"},'],
    ["a first phase that is not there", "refunds", /"initial":"\w+"/, '"initial":"nowhere"'],
    ["a last phase that is not there", "refunds", /"terminal":\[/, '"terminal":["nowhere",'],
    ["the origin of a transition that is not there", "refunds", /"from":"\w+"/, '"from":"nowhere"'],
    ["the end of a transition that is not there", "refunds", /"to":"\w+"/, '"to":"nowhere"'],
    ["a phase that a tool leads to", "refunds", /"advances_to":"\w+","all/, '"advances_to":"nowhere","all'],
    ["a phase that a tool is valid in", "refunds", /"phases":\["\w+"/, '"phases":["nowhere"'],
  ])("to %s are refused", (_, name, find, replacement) => {
    expect(withIndex(name, find, replacement)).toMatchObject({ ok: false, refusal: "dangling_reference" });
  });

  it("to one of two tools of the same name are refused: the rules of the other would not count", () => {
    const twice = withIndex("minimal", /"tools":\[(.*?\})\],"unmatched_checks"/, '"tools":[$1,$1],"unmatched_checks"');
    expect(twice).toMatchObject({ ok: false, message: "artifact.packs[0] has `get_weather` twice" });
  });
});

describe("paths that a walk over a list could not end on", () => {
  it.each([
    ["a fraction as step", { kind: "slice", start: null, end: null, step: 1e-7 }],
    ["a step that is not held exactly", { kind: "slice", start: null, end: null, step: Number.MAX_SAFE_INTEGER + 1 }],
    ["a fraction as start", { kind: "slice", start: 0.5, end: null, step: 1 }],
    ["a fraction as end", { kind: "slice", start: null, end: 1.5, step: 1 }],
    ["a fraction as index", { kind: "index", index: 0.5 }],
  ])("are refused: %s", (_, selector) => {
    const invariant = /"output_invariants":\[\]/;
    expect(REFUNDS).toMatch(invariant);
    const path = { kind: "multi", text: "$[0]", segments: [{ descend: false, selectors: [selector] }] };
    const entry = { at: { file: "t.yaml", line: 1 }, path, operators: [] };
    const text = REFUNDS.replace(invariant, `"output_invariants":[${JSON.stringify(entry)}]`);
    expect(decodeSealed(JSON.parse(text))).toMatchObject({
      ok: false,
      refusal: "malformed_artifact",
      message: expect.stringContaining("expected an integer"),
    });
  });

  it("are refused: a fraction as index of a path to one place", () => {
    const step = /"steps":\["amount"\]/;
    expect(REFUNDS).toMatch(step);
    expect(decodeSealed(JSON.parse(REFUNDS.replace(step, '"steps":[0.5]')))).toMatchObject({ ok: false });
  });
});

describe("rules that would ask for nothing", () => {
  const CHECKPOINT = /"when":\[\{"at":[^\]]*\][^\]]*\][^\]]*\]/;

  it.each([
    ["an entry without operators", /"operators":\[[^\]]*\]/, '"operators":[]', "operators"],
    ["a checkpoint without conditions", CHECKPOINT, '"when":[]', "when"],
  ])("are refused: %s", (_, find, replacement, field) => {
    expect(REFUNDS).toMatch(find);
    expect(decodeSealed(JSON.parse(REFUNDS.replace(find, replacement)))).toMatchObject({
      ok: false,
      refusal: "malformed_artifact",
      message: expect.stringMatching(new RegExp(`${field}: expected at least one item`)),
    });
  });
});

function brackets(levels: number): string {
  return "[".repeat(levels) + "]".repeat(levels);
}

/** The refunds artifact with lists in place of a value that a contract compares with. */
function withDeepValue(levels: number): string {
  expect(REFUNDS).toMatch(EQUALS);
  return REFUNDS.replace(EQUALS, `"op":"equals","value":${brackets(levels)}`);
}

describe("texts that are no artifact", () => {
  it.each([
    ["nothing", ""],
    ["a line end", "\n"],
    ["text", "hello"],
    ["YAML", "format: 2\n"],
    ["a byte order mark in front", `\ufeff${REFUNDS}`],
    ["two artifacts", REFUNDS + REFUNDS],
    ["a comma too many", REFUNDS.replace("{", "{,")],
  ])("are refused as no JSON: %s", (_, text) => {
    expect(decodeArtifact(text)).toMatchObject({ ok: false, refusal: "not_json" });
  });

  it.each(["null", "1", '"x"', "[]", "{}", brackets(500_000)])("are refused as no artifact: %.20s", (text) => {
    expect(decodeArtifact(text)).toMatchObject({ ok: false, refusal: "unknown_format" });
  });

  it.each(["0", "1", "3", "1.5", '"1"', "null", "[1]", "true"])("are refused by their format: %s", (format) => {
    const text = REFUNDS.replace('"format":2', `"format":${format}`);
    expect(decodeArtifact(text)).toMatchObject({ ok: false, refusal: "unknown_format" });
  });

  it.each([
    ["white space", REFUNDS.replace("{", "{ ")],
    ["a key twice", REFUNDS.replace("{", '{"format":2,')],
    ["a number in another spelling", REFUNDS.replace('"format":2', '"format":2.0')],
    ["an escape that is not needed", REFUNDS.replace('"format"', '"\\u0066ormat"')],
  ])("are refused for their spelling: %s", (_, text) => {
    expect(decodeArtifact(text)).toMatchObject({ ok: false, refusal: "not_canonical" });
  });

  it("are refused for keys that reach for the prototype", () => {
    const text = REFUNDS.replace("{", '{"__proto__":{"polluted":true},');
    expect(decodeArtifact(text)).toMatchObject({ ok: false, refusal: "malformed_artifact" });
    expect("polluted" in {}).toBe(false);
  });

  it.each([1000, 10_000, 100_000, 1_000_000])("are refused when %i levels deep, without a crash", (levels) => {
    const deep = brackets(levels);
    for (const field of ["packs", "workflow", "language", "hash"]) {
      const text = REFUNDS.replace(new RegExp(`"${field}":("[^"]*"|null|\\[)`), (found) => {
        return found.endsWith("[") ? `"${field}":[${deep},` : `"${field}":${deep}`;
      });
      expect(decodeArtifact(text)).toMatchObject({ ok: false, refusal: "malformed_artifact" });
    }
  });

  it.each([1000, 10_000, 100_000, 1_000_000])("are refused when a value in them is %i levels deep", (levels) => {
    expect(decodeArtifact(withDeepValue(levels))).toMatchObject({ ok: false });
  });

  it("are artifacts once they hold a value that a contract may hold and the hash that belongs to it", () => {
    expect(decodeSealed(JSON.parse(withDeepValue(90)))).toMatchObject({ ok: true });
  });
});
