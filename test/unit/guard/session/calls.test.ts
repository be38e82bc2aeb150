import { describe, expect, it } from "vitest";
import { prepareProgram } from "../../../../src/guard/program/prepare-program.js";
import { packOf } from "../../../../src/guard/resolved-options.js";
import type { Call } from "../../../../src/guard/session/call.js";
import { Calls } from "../../../../src/guard/session/calls.js";
import { artifactOf } from "../../../support/guard-artifact.js";
import { randomFrom } from "../../../support/random.js";

const artifact = artifactOf("#== look.yaml (with the required fields)\n");
const program = prepareProgram(artifact, packOf(artifact, undefined), { env: {}, principal: null });
const tool = program.unmatched("any");

function callOf(id: string): Call {
  return {
    ...{ id, tool, args: {}, step: -1, status: "running", blocksBefore: 0, isSuperseded: false, priors: [] },
    ...{ origin: "proposed", key: undefined, since: null, before: null, after: null, isListed: false },
  };
}

describe("unsettled calls", () => {
  it("stay in their order and are found by their ids, few or many", () => {
    const random = randomFrom(7);
    const calls = new Calls();
    const expected: Call[] = [];
    for (let time = 0; time < 4_000; time++) {
      if (expected.length === 0 || random.below(100) < (time % 1_000 < 500 ? 75 : 25)) {
        const call = callOf(`call_${time}`);
        expected.push(call);
        calls.add(call);
      } else {
        const [gone] = expected.splice(random.below(expected.length), 1);
        if (gone === undefined) throw new Error("there is one");
        calls.remove(gone);
        expect(calls.find(gone.id)).toBeUndefined();
        expect([gone.before, gone.after]).toEqual([null, null]);
      }
      const wanted = expected.length === 0 ? undefined : random.pick(expected);
      if (wanted !== undefined) expect(calls.find(wanted.id)).toBe(wanted);
      expect(calls.size).toBe(expected.length);
      if (time % 50 === 0) expect(Array.from(calls, ({ id }) => id)).toEqual(expected.map(({ id }) => id));
    }
  });
});
