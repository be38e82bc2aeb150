import { describe, expect, it } from "vitest";
import { differing, jsonOf, meeting, mirrored, negated } from "../../src/analysis/expression/borders.js";
import { projectedCalls } from "../../src/analysis/expression/projection.js";
import { EMPTY_SCENE, put, SceneSlots } from "../../src/analysis/expression/scene.js";
import { Duration, Timestamp } from "../../src/guard/expression/value.js";
import { artifactOf } from "../support/guard-artifact.js";

describe("values at the border of a comparison", () => {
  it("meet it, the nearest first", () => {
    expect(meeting("<=", 100)).toEqual([100, 99]);
    expect(meeting(">", 100)).toEqual([101, 100.5, 1100]);
    expect(meeting("==", "a")).toEqual(["a"]);
    expect(meeting("<", "ab")).toEqual(["a", ""]);
  });

  it("differ for `!=`", () => {
    expect(differing(5)).toEqual([6, 4]);
    expect(differing("a")).not.toContain("a");
  });

  it("are times and spans where the other side is one, and written as texts", () => {
    expect(meeting(">=", new Timestamp(1000)).map(jsonOf)).toEqual([
      "1970-01-01T00:00:01Z",
      "1970-01-01T00:00:01.001Z",
    ]);
    expect(meeting("==", new Duration(1500)).map(jsonOf)).toEqual(["1.5s"]);
  });

  it("are of the exchanged and of the opposite operator", () => {
    expect([mirrored("<"), mirrored("=="), negated("<"), negated("==")]).toEqual([">", "==", ">=", "!="]);
  });
});

describe("a scene", () => {
  const shapes = new Map([["order", { kind: "keyed", depth: 1 }] as const]);
  const at = { root: "slots", slot: "order", keys: ["1"], depth: 0, steps: ["status"] } as const;

  it("keeps keys of different types apart", () => {
    const scene = put(put(EMPTY_SCENE, at, "pending"), { ...at, keys: [1] }, "delivered");
    const slots = new SceneSlots(scene, shapes);
    expect([slots.entry("order", ["1"]), slots.entry("order", [1])]).toEqual([
      { status: "pending" },
      { status: "delivered" },
    ]);
  });

  it("becomes a call with the key in its arguments and the value in its output", () => {
    const [pack] = artifactOf(`#== session.yaml (with the required fields)
schema_version: "1.1"
#== look_up.yaml (with the required fields)
binds: [{ name: order, source: output, path: $.found, key: { source: arguments, path: $.id } }]
#== use.yaml (with the required fields)
requires: [{ that: "slots.order[args.id].ok", reason: A rule }]
`).packs;
    const tool = pack?.tools.find(({ name }) => name === "look_up");
    if (tool === undefined) throw new Error("no such tool");
    expect(projectedCalls(tool, put(EMPTY_SCENE, at, "pending"), { args: {}, output: {} })).toEqual([
      { args: { id: "1" }, output: { found: { status: "pending" } } },
    ]);
  });
});
