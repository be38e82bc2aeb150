import { describe, expect, it } from "vitest";
import type { Json, JsonObject } from "../../../src/base/json.js";
import { neededFields } from "../../../src/guard/durable/needed-fields.js";
import { encodeSnapshot } from "../../../src/guard/durable/session-snapshot.js";
import { FORGOTTEN, type SlotReader } from "../../../src/guard/expression/slot-reader.js";
import { advance } from "../../../src/guard/session/advance.js";
import { UNKNOWN } from "../../../src/guard/session/call.js";
import { copySession, type Session } from "../../../src/guard/session/session.js";
import { Random } from "../../differential/generate/random.js";
import { inWorlds, SlotSession, shown } from "../../guard/slots/slot-session.js";
import { seedOf } from "../../support/seed.js";
import { sizeOf } from "../../support/size.js";
import { storedAndRead } from "../../unit/guard/durable/snapshot-text.js";
import { answersAfter, type Commit, futures, type NaiveSlots, type Result } from "./naive-slots.js";

const PACK = `
#== put.yaml (with the required fields)
binds: [{ name: stock, path: $.n, key: $.id }]
#== ask.yaml (with the required fields)
binds: [{ name: stock, source: output, path: $.n, key: { source: arguments, path: $.id } }]
#== find.yaml (with the required fields)
binds: [{ name: stock, source: output, path: $.n, key: $.id }]
#== list.yaml (with the required fields)
binds: [{ name: stock, source: output, path: "$.found[*]", key: "@.id" }]
#== drop.yaml (with the required fields)
unbinds: [{ name: stock, key: $.id }]
#== merge.yaml (with the required fields)
unbinds: [{ name: stock, key: { source: output, path: $.gone } }]
#== swap.yaml (with the required fields)
unbinds: [{ name: stock, key: $.old }]
binds: [{ name: stock, path: $.n, key: $.id }, { name: seen, path: $.id, collect: union }]
#== wipe.yaml (with the required fields)
unbinds: [{ name: stock }]
#== see.yaml (with the required fields)
binds: [{ name: seen, path: "$.ids[*]", collect: union }]
#== learn.yaml (with the required fields)
binds: [{ name: seen, source: output, path: "$.ids[*]", collect: union }]
#== unsee.yaml (with the required fields)
unbinds: [{ name: seen }]
`;

const AT_ONCE = `
#== fire.yaml (with the required fields)
commit_requirement: none
binds: [{ name: stock, path: $.n, key: $.id }]
#== ask_at_once.yaml (with the required fields)
commit_requirement: none
binds: [{ name: stock, source: output, path: $.n, key: { source: arguments, path: $.id } }]
#== find_at_once.yaml (with the required fields)
commit_requirement: none
binds: [{ name: stock, source: output, path: $.n, key: $.id }]
`;

const TOOLS = ["put", "ask", "find", "list", "drop", "merge", "swap", "wipe", "see", "learn", "unsee"];
/** An output that is awaited at a known key forgets something if it comes: that is a world of its own. */
const WITHOUT_ASK = TOOLS.filter((tool) => tool !== "ask");
const AT_ONCE_TOOLS = ["fire", "ask_at_once", "find_at_once"];
const KEYS = ["a", "b", 1, "1", true] as const;

const SEED = seedOf("SLOTS_SEED", 7);
const WALKS = sizeOf("SLOTS_WALKS", { share: 15, full: 600 });
const STEPS = 40;
const MOST_OPEN = 3;

interface Form {
  readonly pack: string;
  readonly head: string;
  readonly limit: number;
  readonly tools: readonly string[];
  /** Outputs that arrive later bind later, so that the order of keys is another one. */
  readonly isOrdered: boolean;
}

const LIMITED: Form = {
  pack: PACK,
  head: "slot_limits: { stock: 3, seen: 3 }",
  limit: 3,
  tools: WITHOUT_ASK,
  isOrdered: true,
};
const SENT: Form = {
  pack: PACK + AT_ONCE,
  head: "",
  limit: 10_000,
  tools: [...TOOLS, ...AT_ONCE_TOOLS],
  isOrdered: false,
};

/** One call that has not ended. */
interface Open {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
}

/** A random session, and beside it the list of its commits. */
class Walk {
  readonly real: SlotSession;
  private readonly commits: (Commit & { readonly id: string })[] = [];
  private open: readonly Open[] = [];

  constructor(
    private readonly random: Random,
    private readonly form: Form,
  ) {
    this.real = new SlotSession(form.pack, form.head);
  }

  step(): void {
    const { random } = this;
    if (this.open.length >= MOST_OPEN || (this.open.length > 0 && random.chance(0.5)))
      this.settle(random.pick(this.open));
    else this.propose(random.pick(this.form.tools));
  }

  private propose(tool: string): void {
    const { random } = this;
    const args = {
      id: random.pick(KEYS),
      old: random.pick(KEYS),
      n: random.below(4),
      ids: random.subset([...KEYS], 0.3),
    };
    const id = this.real.open(tool, args);
    this.open = [...this.open, { id, tool, args }];
    if (isSentAtOnce(tool)) this.commits.push({ id, tool, args, result: { kind: "open" } });
  }

  private output(): Json {
    const { random } = this;
    return {
      ...(random.chance(0.8) ? { id: random.pick(KEYS) } : {}),
      ...(random.chance(0.8) ? { n: random.below(4) } : {}),
      ...(random.chance(0.8) ? { gone: random.pick(KEYS) } : {}),
      found: random.subset([...KEYS], 0.3).map((id) => (random.chance(0.95) ? { id } : {})),
      ids: random.subset([...KEYS], 0.3),
      other: "not needed",
    };
  }

  private settle(call: Open): void {
    const { random, real } = this;
    const { id, tool, args } = call;
    const ending = random.pick([
      "output",
      "output",
      "output",
      "none",
      "rejected",
      "released",
      "indeterminate",
    ] as const);
    if (ending === "released" && isSentAtOnce(tool)) return;
    if (ending !== "indeterminate") this.open = this.open.filter((each) => each !== call);
    if (ending === "indeterminate" || ending === "released") {
      real.end(id, ending);
      return;
    }
    const result: Result = ending === "output" ? { kind: "output", output: this.output() } : { kind: ending };
    if (ending === "rejected") real.end(id, "violated");
    else real.commit(id, result.kind === "output" ? this.kept(tool, result.output) : undefined);
    const at = this.commits.findIndex((commit) => commit.id === id);
    if (at === -1) this.commits.push({ id, tool, args, result });
    else this.commits[at] = { id, tool, args, result };
  }

  /** What a store would keep of an output is enough. */
  private kept(tool: string, output: Json): Json {
    const { program } = this.real;
    const effects = program.tools.get(tool);
    return effects === undefined || this.random.chance(0.5) ? output : neededFields(program).output(effects, output);
  }

  check(session: Session, ask: Questions): void {
    const { limit, isOrdered } = this.form;
    const open = this.open.filter(({ tool }) => !isSentAtOnce(tool));
    const texts = (worlds: readonly (readonly unknown[])[]) => {
      // Neither what is lost nor what is awaited can be judged. Where something is lost, the guard does not always know whether an
      // output could still bind it, and with limits not which values an output would displace.
      const isSame = (at: number) => isOrdered || worlds.some((world) => world[at] === "lost");
      const known = worlds.map((world) => world.map((each, at) => (each === "awaited" && isSame(at) ? "lost" : each)));
      return new Set(known.map((world) => textOf(world, isOrdered)));
    };
    const expected = Array.from(futures(open), (later) => answersAfter(limit, [...this.commits, ...later], ask.naive));
    const actual = inWorlds(session, (slots) => ask.real(slots).map(shown)) as readonly (readonly unknown[])[];
    expect(texts(actual)).toEqual(texts(expected));
  }

  checkAll(ask: Questions): void {
    const { real } = this;
    this.check(real.session, ask);
    const stored = storedAndRead(real.program, real.session);
    this.check(stored, ask);
    this.check(copySession(real.session), ask);
    expect(encodeSnapshot(stored)).toEqual(encodeSnapshot(real.session));
  }

  /** A copy goes its own way. */
  branchOff(): void {
    const copy = copySession(this.real.session);
    for (const { id } of this.open) {
      advance(this.real.program, copy, {
        kind: "settled",
        callId: id,
        ending: "committed",
        output: { id: "zz", n: 9 },
        sign: "neither",
      });
    }
  }
}

function isSentAtOnce(tool: string): boolean {
  return AT_ONCE_TOOLS.includes(tool);
}

function textOf(answers: readonly unknown[], isOrdered: boolean): string {
  const isMap = (answer: unknown): answer is readonly unknown[] => Array.isArray(answer) && Array.isArray(answer[0]);
  return JSON.stringify(
    answers.map((answer) => (!isOrdered && isMap(answer) ? answer.map((each) => JSON.stringify(each)).sort() : answer)),
  );
}

interface Questions {
  readonly real: (slots: SlotReader) => readonly unknown[];
  readonly naive: (slots: NaiveSlots) => readonly unknown[];
}

function entry(key: string | number | boolean): Questions {
  return { real: (slots) => [slots.entry("stock", [key])], naive: ({ stock }) => [stock.at(key)] };
}
function includes(value: Json): Questions {
  return { real: (slots) => [slots.includes("seen", value)], naive: ({ seen }) => [seen.has(value)] };
}
/** A slot that has forgotten something is said to have, where it is also awaited. */
function whole(answer: unknown): unknown {
  return answer === FORGOTTEN ? UNKNOWN : answer;
}
const WHOLE: Questions = { real: (slots) => [whole(slots.branch("stock", []))], naive: (slots) => [slots.entries()] };
const UNION: Questions = { real: (slots) => [whole(slots.union("seen"))], naive: (slots) => [slots.values()] };

function both(one: Questions, other: Questions): Questions {
  return {
    real: (slots) => [...one.real(slots), ...other.real(slots)],
    naive: (slots) => [...one.naive(slots), ...other.naive(slots)],
  };
}

function someQuestion(random: Random): Questions {
  const single = () => (random.chance(0.5) ? entry(random.pick(KEYS)) : includes(random.pick(KEYS)));
  return random.make([
    single,
    () => WHOLE,
    () => UNION,
    () => both(single(), single()),
    () => both(WHOLE, single()),
    () => both(single(), UNION),
  ]);
}

describe.each([
  ["with limits", LIMITED],
  ["with calls that commit when they are sent", SENT],
])("slots %s", (_, form) => {
  it("are read as their commits say, in every way in which open calls may end", () => {
    const seeds = new Random(SEED);
    for (let run = 0; run < WALKS; run++) {
      const seed = seeds.fork();
      const random = new Random(seed);
      const walk = new Walk(random, form);
      try {
        for (let step = 0; step < STEPS; step++) {
          walk.step();
          if (random.chance(0.2)) walk.branchOff();
          walk.checkAll(someQuestion(random));
        }
      } catch (cause) {
        throw new Error(`walk ${run} of the seed ${SEED}`, { cause });
      }
    }
  }, 600_000);
});
