import { describe } from "vitest";
import { lines, type RefusedPack, testRefused, toolText } from "../support/hostile-pack.js";

const LEVELS = 9;
const FAN = 10;

function levels(level: (index: number) => string): string {
  return Array.from({ length: LEVELS }, (_, index) => level(index)).join("");
}

function tenTimes(text: string): string {
  return Array.from({ length: FAN }, () => text).join(", ");
}

const FLOW_BOMB = levels((n) => `a${n}: &a${n} [${tenTimes(n === 0 ? "lol" : `*a${n - 1}`)}]\n`);
const BLOCK_BOMB = levels((n) => `a${n}: &a${n}\n${lines(FAN, () => `  - ${n === 0 ? "lol" : `*a${n - 1}`}`)}`);
const MAP_BOMB = levels((n) => {
  const entries = Array.from({ length: FAN }, (_, key) => `k${key}: ${n === 0 ? "lol" : `*a${n - 1}`}`);
  return `a${n}: &a${n} { ${entries.join(", ")} }\n`;
});

function packWith(what: string, code: string, text: string): RefusedPack {
  return { what, code, files: () => ({ "t.yaml": toolText() + text }) };
}

describe("aliases", () => {
  testRefused([
    packWith("a billion laughs in flow style", "too_many_aliases", FLOW_BOMB),
    packWith("a billion laughs in block style", "too_many_aliases", BLOCK_BOMB),
    packWith("a billion laughs in mappings", "too_many_aliases", MAP_BOMB),
    packWith("a billion laughs with merge keys", "merge_key", "a: &a { k: v }\nb: { <<: [*a, *a, *a] }\n"),
    packWith("an alias inside its own list", "alias_cycle", "x: &x [*x]\n"),
    packWith("an alias inside its own mapping", "alias_cycle", "x: &x { y: { z: *x } }\n"),
    packWith("two anchors inside each other", "alias_cycle", "x: &x [&y [*x, *y]]\n"),
    packWith("a hundred and one aliases", "too_many_aliases", `x: &x 1\ny:\n${lines(101, () => "  - *x")}`),
    packWith("ten thousand aliases", "too_many_aliases", `x: &x 1\ny:\n${lines(10_000, () => "  - *x")}`),
    packWith("aliases that only together are too deep", "too_deep", deepByAliases()),
    packWith("an alias before its anchor", "unknown_alias", "x: *y\ny: &y 1\n"),
    packWith("an alias as a key", "non_string_key", "x: &x 1\n*x : 1\n"),
  ]);
});

function deepByAliases(): string {
  const wrap = (text: string) => `${"[".repeat(40)}${text}${"]".repeat(40)}`;
  return `x: &x ${wrap("")}\ny: &y ${wrap("*x")}\nz: ${wrap("*y")}\n`;
}
