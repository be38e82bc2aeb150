import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Random, randomFrom } from "../support/random.js";
import { waitForCli } from "../support/run-cli.js";
import { sizeOf } from "../support/size.js";

const SEED = 16;
const PACKS = sizeOf("INIT_PACKS", { share: 6, full: 200 });

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "init-generated-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const run = (...args: readonly string[]) => waitForCli(args, { cwd: folder });

function written(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

const NAMES = [
  "null",
  "true",
  "__proto__",
  "constructor",
  "a-b",
  "Get",
  "get",
  "tests",
  "pay_bill",
  "delete-x",
  "list_y",
];
const KEYS = ["id", "amount", "kind", "__proto__", "a b", "\u202e", "toString"];
const SCHEMAS = [
  { type: "string" },
  { type: "integer", minimum: 1, maximum: 9 },
  { type: "string", enum: ["one", "two"] },
  { type: "array", items: { type: "number" }, minItems: 1 },
  { anyOf: [{ type: "string", pattern: "^a+$" }, { type: "null" }] },
];
const VALUES: readonly unknown[] = [
  "one",
  3,
  [1],
  null,
  "a",
  { deep: { er: "\u0000\u2028" } },
  "# no comment: {",
  -0,
  true,
];

function toolOf(name: string, random: Random) {
  const keys = random.shuffled(KEYS).slice(0, random.below(4));
  const properties = Object.fromEntries(keys.map((key) => [key, random.pick(SCHEMAS)]));
  return { name, input_schema: { type: "object", properties, required: keys.slice(0, random.below(3)) } };
}

function sessionsOf(names: readonly string[], random: Random): string {
  const call = () => ({
    tool: random.pick(names),
    arguments: Object.fromEntries(
      random
        .shuffled(KEYS)
        .slice(0, 2)
        .map((key) => [key, random.pick(VALUES)]),
    ),
    ...random.pick([{ output: random.pick(VALUES) }, { error: "no" }, { error: { status: 503 } }, {}]),
  });
  const session = () => ({ calls: Array.from({ length: random.below(6) }, call) });
  return Array.from({ length: 12 }, () => `${JSON.stringify(session())}\n`).join("");
}

describe("contracts init on generated definitions and sessions", () => {
  it.each(Array.from({ length: PACKS }, (_, at) => at))("writes a pack that passes its own tests: %d", async (at) => {
    const random = randomFrom(SEED, at);
    const names = random.shuffled(NAMES).slice(0, 1 + random.below(5));
    written("tools.json", JSON.stringify(names.map((name) => toolOf(name, random))));
    written("t.jsonl", sessionsOf([...names, "unknown_tool"], random));
    const made = await run("init", "pack", "--from", "tools.json", "--traces", "t.jsonl");
    expect(made, made.stderr).toMatchObject({ code: 0 });
    const tested = await run("test", "pack", "--format", "json");
    expect(tested, tested.stdout).toMatchObject({ code: 0 });
    // What the definitions allow is accepted, and the note counts the rest.
    const { summary } = JSON.parse((await run("replay", "pack", "t.jsonl", "--format", "json")).stdout);
    const refused = /refuse (\d+) of the (\d+) recorded calls/.exec(made.stderr);
    expect([Number(refused?.[1] ?? 0), Number(refused?.[2] ?? summary.calls)]).toEqual([
      summary.blocked,
      summary.calls,
    ]);
  });
});

describe("contracts init on hostile definitions", () => {
  const tool = (name: string) => ({ name, input_schema: { type: "object" } });

  it.each([
    ["a path as a name", [tool("../../x")]],
    ["another script", [tool("\u0437\u0430\u043a\u0430\u0437")]],
    ["a terminal escape", [tool("a\u001b[2J")]],
    ["the same name twice", [tool("a"), tool("a")]],
  ])("says what is wrong, and writes nothing: %s", async (_, tools) => {
    written("tools.json", JSON.stringify(tools));
    const { code, stderr } = await run("init", "pack", "--from", "tools.json");
    expect(code).toBe(1);
    expect(stderr).toContain("tools.json:1");
    expect(stderr).not.toContain("\u001b[2J");
    expect(stderr).not.toContain("warning");
    expect(existsSync(join(folder, "pack"))).toBe(false);
    expect(readdirSync(folder)).toEqual(["tools.json"]);
  });

  it("does not read descriptions, however long", async () => {
    written("tools.json", JSON.stringify([{ ...tool("get_x"), description: "x".repeat(900_000) }]));
    expect(await run("init", "pack", "--from", "tools.json")).toMatchObject({ code: 0, stderr: "" });
    expect((await run("test", "pack")).stdout).toBe("1 test: 1 passed, 0 failed\n");
  });
});
