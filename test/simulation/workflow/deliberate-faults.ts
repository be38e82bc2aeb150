import { DurableLog } from "../../../src/guard/durable/durable-log.js";
import { Ledger } from "../../../src/guard/session/ledger.js";
import { Coordinator } from "../../../src/workflow/log/coordinator.js";
import { SeatJudge } from "../../../src/workflow/log/seat-judge.js";
import { type Method, replace } from "../replace-method.js";

/** Bugs that somebody might write, put into the code while it runs. A simulation that finds none of them would be of no use. */
export const DELIBERATE_FAULTS: Readonly<Record<string, () => () => void>> = {
  "opens sessions out of turn": () => replace(Ledger, "alone", () => (_wait, work) => (work as () => unknown)()),
  "does not apply what it has recorded": () => {
    let count = 0;
    return replace(
      Coordinator,
      "apply",
      (old) =>
        function apply(this: object, ...args: unknown[]) {
          count += 1;
          if (count % 20 !== 0) old.apply(this, args);
        },
    );
  },
  "does not look at limits and resources": () => replace(SeatJudge, "refuse", () => () => null),
  "lets sessions go on that have ended": () => replace(SeatJudge, "admit", () => () => null),
  "records calls in the session alone": () => replace(DurableLog, "prepared", alone),
};

/** A step that the coordinator never hears of. */
function alone(old: Method): Method {
  return async function prepared(this: object, ...args: unknown[]) {
    const sending = Object(await old.apply(this, args));
    return { ...sending, beside: null };
  };
}
