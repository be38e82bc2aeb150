import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import type { Table } from "../support/guard-steps.js";
import { inPack } from "../support/pack-text.js";
import { waitForCli } from "../support/run-cli.js";

function packsOf(table: string): readonly (readonly [string, string])[] {
  const { given = {} }: Table = parse(readFileSync(new URL(`../checks/${table}.yaml`, import.meta.url), "utf8"));
  return Object.entries(given).map(([name, pack]) => [`${table} ${name}`, pack]);
}

const PACKS = ["requires", "ensures", "checkpoint-expression"].flatMap(packsOf);

describe("contracts verify on packs with expressions", () => {
  // Every witness is replayed on a guard; one that differs, or a proof of something that happens, ends with another code.
  it.each(PACKS)("replays what it shows of the pack `%s`", { timeout: 60_000 }, async (_name, pack) => {
    const { code, stderr } = await inPack(pack, (folder) => waitForCli(["verify", folder]));
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  });
});
