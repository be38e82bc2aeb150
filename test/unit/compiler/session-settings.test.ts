import { describe, expect, it } from "vitest";
import { DEFAULT_BOUNDS } from "../../../src/analysis/default-bounds.js";
import { diffPacks } from "../../../src/analysis/diff/diff-packs.js";
import { decodeArtifact } from "../../../src/artifact/decode.js";
import { encodeArtifact } from "../../../src/artifact/encode.js";
import { sentenceOf } from "../../../src/report/sentences.js";
import { artifactOf } from "../../support/guard-artifact.js";

const packOf = (lines: string) => `#== session.yaml (with the required fields)
schema_version: "1.1"
${lines}#== look.yaml (with the required fields)
`;

const SET = packOf(`timezone: Europe/Lisbon
constants: { most: 500, fees: { economy: 50, __proto__: 1 }, cabins: [a, null, true] }
`);

describe("constants and the time zone", () => {
  it("are fields of the artifact, as they were written", () => {
    const artifact = artifactOf(SET);
    const constants = artifact.packs[0]?.constants;
    expect(JSON.stringify(constants)).toBe('{"most":500,"fees":{"economy":50,"__proto__":1},"cabins":["a",null,true]}');
    expect(artifact.packs[0]?.timezone).toBe("Europe/Lisbon");
    const decoded = decodeArtifact(encodeArtifact(artifact));
    expect(decoded.ok && encodeArtifact(decoded.artifact)).toBe(encodeArtifact(artifact));
  });

  it("are absent where session.yaml does not have them", () => {
    const [pack] = artifactOf(packOf("")).packs;
    expect(pack).not.toHaveProperty("constants");
    expect(pack).not.toHaveProperty("timezone");
  });

  it("are compared: constants that no rule reads change nothing, and no reading shows whether another zone is as strong", async () => {
    const after = artifactOf(SET.replace("most: 500", "most: 600").replace("Europe/Lisbon", "UTC"));
    const [difference] = await diffPacks(artifactOf(SET), after, { bounds: DEFAULT_BOUNDS, wording: sentenceOf });
    expect(difference?.changes).toMatchObject([
      { what: "setting", name: "constants", direction: "same" },
      { what: "setting", name: "time zone", direction: "unknown", before: "Europe/Lisbon", after: "UTC" },
    ]);
  });
});
