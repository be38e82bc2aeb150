import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { CHECK_ORDER } from "../../src/artifact/check-order.js";
import { runCase, type Table } from "../support/guard-steps.js";

const FOLDER = new URL("./", import.meta.url);
const tables = readdirSync(FOLDER).filter((name) => name.endsWith(".yaml"));

it("has a table for every kind of check", () => {
  const wanted = CHECK_ORDER.map((kind) => `${kind.replaceAll("_", "-")}.yaml`);
  expect(wanted.filter((name) => !tables.includes(name))).toEqual([]);
});

describe.each(tables)("%s", (name) => {
  const { given = {}, cases }: Table = parse(readFileSync(new URL(name, FOLDER), "utf8"));
  it.each(cases)("$name", (example) => runCase({ ...example, pack: given[example.pack] ?? example.pack }));
});
