import { describe, expect, it } from "vitest";
import { compileFolder } from "../../src/compiler/compile-pack.js";

type Files = ReadonlyMap<string, string>;
interface Module {
  readonly packOfEnvelopes: (count: number) => Files;
  readonly packOfTools: (tools: number) => Files;
  readonly packWithKeys: (keys: number) => Files;
  readonly scenarioPack: (tools: number) => Files;
  readonly askingPack: () => Files;
  readonly workflowPack: () => Files;
  readonly onDisk: <T>(files: Files, use: (folder: string) => T) => T;
}

async function load(file: string): Promise<Module> {
  return import(new URL(file, import.meta.url).href);
}

describe("the packs that benchmarks compile", () => {
  it("have no findings: else something else would be measured", async () => {
    const { packOfTools, packWithKeys, onDisk } = await load("generated-pack.mjs");
    const { scenarioPack, askingPack, workflowPack } = await load("scenario/pack.mjs");
    const { packOfEnvelopes } = await load("envelope-pack.mjs");
    const packs = [
      packOfEnvelopes(6),
      packOfTools(10),
      packOfTools(100),
      packWithKeys(100),
      scenarioPack(3),
      scenarioPack(10),
      askingPack(),
      workflowPack(),
    ];
    const found = packs.map((files) => onDisk(files, (folder) => compileFolder(folder).diagnostics));
    expect(found).toEqual(packs.map(() => []));
  });
});
