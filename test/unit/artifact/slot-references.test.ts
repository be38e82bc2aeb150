import { describe, expect, it } from "vitest";
import type { ArtifactBody } from "../../../src/artifact/compiled.js";
import { decodeArtifact } from "../../../src/artifact/decode.js";
import { encodeArtifact, seal } from "../../../src/artifact/encode.js";
import { artifactOf } from "../../support/guard-artifact.js";

const ARTIFACT = artifactOf(`#== session.yaml (with the required fields)
schema_version: "1.1"
slot_limits: { booking: 5 }
#== get.yaml (with the required fields)
binds:
  - { name: booking, source: output, path: $, key: $.id }
  - { name: seen, path: $.id, collect: union }
  - { name: last, path: $.id }
unbinds: [{ name: booking, key: $.id }, { name: seen }, { name: last }]
#== show.yaml (with the required fields)
argument_value_invariants: [{ path: $.id, ref: last }]
`);
const TEXT = encodeArtifact(ARTIFACT);

/** The artifact with a part of its text replaced, and the hash that it then has. */
function changed(before: string, after: string) {
  const text = TEXT.replace(before, after);
  expect(text, before).not.toBe(TEXT);
  const { hash: _, ...body } = JSON.parse(text);
  return decodeArtifact(encodeArtifact(seal(body as ArtifactBody))); // on purpose not what the compiler writes
}

const SLOTS =
  '"slots":[{"depth":1,"kind":"keyed","limit":5,"name":"booking"},{"depth":0,"kind":"plain","limit":null,"name":"last"},{"depth":0,"kind":"union","limit":null,"name":"seen"}]';

describe("slots of an artifact", () => {
  it("are listed with what they hold, if one of them is not plain", () => {
    expect(TEXT).toContain(SLOTS);
    expect(decodeArtifact(TEXT)).toEqual({ ok: true, artifact: ARTIFACT });
    expect(
      encodeArtifact(artifactOf("#== get.yaml (with the required fields)\nbinds: [{ name: last, path: $.id }]\n")),
    ).not.toMatch(/slots|unbinds|collect|decode/);
  });

  it.each([
    [
      "a keyed slot that is said to be plain",
      '{"depth":1,"kind":"keyed","limit":5,"name":"booking"}',
      '{"depth":0,"kind":"plain","limit":null,"name":"booking"}',
      "booking",
    ],
    ["another number of keys", '"depth":1,"kind":"keyed"', '"depth":2,"kind":"keyed"', "booking"],
    ["a union that is not listed", ',{"depth":0,"kind":"union","limit":null,"name":"seen"}', "", "seen"],
    [
      "a comparison with a union",
      '"kind":"ref","path":{"kind":"definite","steps":["id"],"text":"$.id"},"slot":"last"',
      '"kind":"ref","path":{"kind":"definite","steps":["id"],"text":"$.id"},"slot":"seen"',
      "seen",
    ],
    ["a slot that keeps nothing", '"limit":5', '"limit":0', "booking"],
  ])("are refused for %s", (_, before, after, slot) => {
    expect(changed(before, after)).toMatchObject({
      ok: false,
      refusal: "dangling_reference",
      message: `artifact.packs[0] has a slot \`${slot}\` of another kind`,
    });
  });

  it("are refused if one is listed twice", () => {
    expect(changed('"name":"booking"},', '"name":"last"},')).toMatchObject({
      ok: false,
      message: "artifact.packs[0] has `last` twice",
    });
  });

  it("have no empty lists of keys or unbinds", () => {
    expect(changed('"unbinds":[', '"unbinds":[],"x":[')).toMatchObject({ ok: false, refusal: "malformed_artifact" });
  });
});
