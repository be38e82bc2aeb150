import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Artifact } from "../../src/artifact/compiled.js";
import { decodeArtifact } from "../../src/artifact/decode.js";
import { encodeArtifact } from "../../src/artifact/encode.js";
import { type Compiled, compile } from "../../src/compiler/compile.js";
import { renderJson } from "../../src/diagnostics/render-json.js";
import { withoutLines } from "../support/artifact-parts.js";
import { EXAMPLE_PACKS, type ExamplePack } from "../support/example-packs.js";
import { toolText } from "../support/hostile-pack.js";
import { memoryTree, packBytes } from "../support/memory-tree.js";
import { type Random, randomFrom } from "../support/random.js";
import { seedOf } from "../support/seed.js";
import { sizeOf } from "../support/size.js";

const SEED = seedOf("ARTIFACT_SEED", 1);
const ORDERS = sizeOf("ARTIFACT_ORDERS", { share: 2, full: 40 });

type Change = (text: string, file: string) => string;

function compiled({ files }: ExamplePack, change: Change = (text) => text): Compiled {
  return compile(memoryTree(packBytes(Array.from(files, ([file, text]) => [file, change(text, file)]))));
}

/** All that compiling gives, as one text. */
function outcome({ artifact, diagnostics }: Compiled): string {
  return renderJson(artifact !== null, null, diagnostics) + (artifact === null ? "" : encodeArtifact(artifact));
}

function artifactOf(result: Compiled): Artifact {
  if (result.artifact === null) throw new Error("the pack does not compile");
  return result.artifact;
}

function withShuffledFolders({ files }: ExamplePack, random: Random): Compiled {
  const tree = memoryTree(packBytes(files));
  const list = (folder: string) => {
    const names = tree.list(folder);
    return names === null ? null : random.shuffled(names);
  };
  return compile({ ...tree, list });
}

function withShuffledKeys(value: unknown, random: Random): unknown {
  if (Array.isArray(value)) return value.map((item) => withShuffledKeys(item, random));
  if (typeof value !== "object" || value === null) return value;
  const entries = random.shuffled(Object.entries(value));
  return Object.fromEntries(entries.map(([key, item]) => [key, withShuffledKeys(item, random)]));
}

/** Files of which the first in order is right and the others are wrong, whichever that is. */
const RIVALS: ExamplePack = {
  name: "two files of one tool",
  files: new Map(["a", "b", "c"].map((stem) => [`${stem}.yaml`, toolText({}, "rival")])),
};

const ALL = [...EXAMPLE_PACKS, RIVALS].map((pack) => [pack.name, pack] as const);
const SOUND = ALL.filter(([, pack]) => compiled(pack).artifact !== null);

describe.each(ALL)("the outcome for %s", (_, pack) => {
  it("is the same for every order of its files", () => {
    const expected = outcome(compiled(pack));
    for (let run = 0; run < ORDERS; run++) {
      expect(outcome(withShuffledFolders(pack, randomFrom(SEED, run)))).toBe(expected);
    }
  });

  it("is the same with a byte order mark", () => {
    expect(outcome(compiled(pack, (text) => `\ufeff${text}`))).toBe(outcome(compiled(pack)));
  });

  it("is the same when compiled again", () => {
    expect(outcome(compiled(pack))).toBe(outcome(compiled(pack)));
  });
});

describe.each(SOUND)("the artifact of %s", (_, pack) => {
  it("is the same with CRLF line ends", () => {
    const dos = compiled(pack, (text) => text.replaceAll("\n", "\r\n"));
    expect(encodeArtifact(artifactOf(dos))).toBe(encodeArtifact(artifactOf(compiled(pack))));
  });

  it("differs in nothing but line numbers when the keys of mappings are reordered", () => {
    const expected = withoutLines(artifactOf(compiled(pack)));
    for (let run = 0; run < ORDERS; run++) {
      const random = randomFrom(SEED, run);
      const reordered = compiled(pack, (text, file) => {
        return file.endsWith(".yaml") ? JSON.stringify(withShuffledKeys(parse(text), random)) : text;
      });
      expect(withoutLines(artifactOf(reordered))).toEqual(expected);
    }
  });

  it("is what its text decodes to", () => {
    const artifact = artifactOf(compiled(pack));
    expect(decodeArtifact(encodeArtifact(artifact))).toEqual({ ok: true, artifact });
  });
});
