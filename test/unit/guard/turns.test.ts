import { describe, expect, it } from "vitest";
import { Turns } from "../../../src/guard/session/turns.js";

const LONG = { ms: 60_000, isIdle: true };

/** Takes the turn and notes its name; whoever has it passes it on. */
function taking(turns: Turns, order: string[], name: string, { isUrgent = false, ms = LONG.ms, who = {} } = {}) {
  return turns.take({ ms, isIdle: true, isUrgent }, who).then((isTaken) => {
    order.push(isTaken ? name : `${name} left`);
    if (isTaken) turns.pass();
  });
}

describe("turns", () => {
  it("come in the order of arrival, urgent ones and those that were hastened first", async () => {
    const turns = new Turns();
    const order: string[] = [];
    const hasty = {};
    expect(turns.tryTake()).toBe(true);
    const all = [
      taking(turns, order, "one"),
      taking(turns, order, "two"),
      taking(turns, order, "late", { ms: 1 }),
      taking(turns, order, "hasty", { who: hasty }),
      taking(turns, order, "three"),
      taking(turns, order, "urgent", { isUrgent: true }),
    ];
    turns.hasten(hasty);
    turns.hasten(hasty);
    await all[2];
    turns.pass();
    await Promise.all(all);
    expect(order).toEqual(["late left", "urgent", "hasty", "one", "two", "three"]);
    expect(turns.tryTake()).toBe(true);
  });

  it("keep their order where very many wait and leave", async () => {
    const turns = new Turns();
    const order: string[] = [];
    turns.tryTake();
    const all: Promise<void>[] = [];
    for (let at = 0; at < 5000; at++) all.push(taking(turns, order, String(at), at % 3 === 0 ? { ms: 1 } : {}));
    await Promise.all(all.filter((_, at) => at % 3 === 0));
    turns.pass();
    await Promise.all(all);
    const stayed = Array.from({ length: 5000 }, (_, at) => at).filter((at) => at % 3 !== 0);
    expect(order.filter((name) => !name.endsWith("left"))).toEqual(stayed.map(String));
    expect(turns.tryTake()).toBe(true);
  });
});
