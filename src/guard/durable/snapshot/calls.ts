import type { Json } from "../../../base/json.js";
import type { Program, Tool } from "../../program/program.js";
import type { Call, PriorCall } from "../../session/call.js";
import { entityOf } from "../../session/entity.js";
import type { DeniedCall, Session } from "../../session/session.js";
import { BadRecord } from "../log-record.js";
import type { CallJson, DecodedCall, DecodedPrior, DecodedSession, DeniedJson, PriorJson } from "./form.js";

function priorJson({ step, satisfies, miss }: PriorCall): PriorJson {
  return { step, satisfies, miss: miss === null ? null : { entry: miss.entry, found: miss.found } };
}

/** An unsettled call as JSON. */
export function callJson(call: Call): CallJson {
  const { id, tool, args, step, status, origin, key, since, blocksBefore, isSuperseded, priors } = call;
  return {
    ...{ id, tool: tool.name, args, step, status, origin, key: key ?? null, since, blocksBefore, isSuperseded },
    priors: priors.map(priorJson),
  };
}

/** A call that was settled as `did_not_happen`, as JSON. */
export function deniedJson({ tool, args, step }: DeniedCall): DeniedJson {
  return { tool: tool.name, args, step };
}

/**
 * The history of preconditions as JSON. An output that arrives changes the history through its call, so a prior call that an
 * unsettled one refers to is stored with that one, and here by its number among all of those.
 */
export function historyJson({ priors, unsettled }: Session): Json {
  const numbers = new Map<PriorCall, number>();
  for (const call of unsettled) for (const prior of call.priors) numbers.set(prior, numbers.size);
  return priors.map((byEntity) =>
    Array.from(byEntity, ([entity, calls]) => [entity, calls.map((prior) => numbers.get(prior) ?? priorJson(prior))]),
  );
}

/** A prior call of an unsettled one, and the place in the history where it may be. */
interface OpenPrior {
  readonly prior: PriorCall;
  readonly watch: number;
  readonly entity: string;
  isListed: boolean;
}

/** The tool of a stored call; one without a contract too, as such calls may have been allowed. */
export function toolOf(program: Program, name: string): Tool {
  return program.tools.get(name) ?? program.unmatched(name);
}

function decodePrior(program: Program, watch: number, { step, satisfies, miss }: DecodedPrior): PriorCall {
  const conditions = program.watches[watch]?.withOutput.length ?? 0;
  if (miss !== null && miss.entry !== null && miss.entry >= conditions) {
    throw new BadRecord("a prior call failed a condition that its precondition does not have");
  }
  return { step, satisfies, miss };
}

/** The unsettled calls of a snapshot, in their order, and what the history shares with them. */
export class DecodedCalls {
  readonly byId = new Map<string, Call>();
  private readonly priors: OpenPrior[] = [];

  constructor(
    private readonly program: Program,
    calls: readonly DecodedCall[],
  ) {
    for (const call of calls) {
      if (this.byId.has(call.id)) throw new BadRecord("two unsettled calls have one id");
      this.byId.set(call.id, this.decodeCall(call));
    }
  }

  /** The history of preconditions. */
  history(stored: DecodedSession["priors"]): Session["priors"] {
    if (stored.length !== this.program.watches.length)
      throw new BadRecord("its preconditions are not those of the program");
    return stored.map((byEntity, watch) => {
      const decoded = new Map<string, PriorCall[]>();
      for (const [entity, priors] of byEntity) {
        decoded.set(
          entity,
          priors.map((prior) =>
            typeof prior === "number" ? this.shared(prior, watch, entity) : decodePrior(this.program, watch, prior),
          ),
        );
      }
      return decoded;
    });
  }

  private shared(number: number, watch: number, entity: string): PriorCall {
    const open = this.priors[number];
    if (open === undefined || open.isListed || open.watch !== watch || open.entity !== entity) {
      throw new BadRecord("a prior call is not that of an unsettled call");
    }
    open.isListed = true;
    return open.prior;
  }

  private decodeCall({ priors, ...stored }: DecodedCall): Call {
    const tool = toolOf(this.program, stored.tool);
    // The fields in the order of `advance`: one hidden class for all calls.
    return {
      id: stored.id,
      tool,
      args: stored.args,
      step: stored.step,
      status: stored.status,
      origin: stored.origin,
      key: stored.key ?? undefined,
      since: stored.since,
      blocksBefore: stored.blocksBefore,
      isSuperseded: stored.isSuperseded,
      priors: this.decodePriors(tool, stored.args, priors),
      before: null,
      after: null,
      isListed: false,
    };
  }

  /** One for each precondition that a call concerns which was committed when it was sent. */
  private decodePriors(tool: Tool, args: Json, stored: readonly DecodedPrior[]): readonly PriorCall[] {
    const places = (tool.commitsAtDispatch ? tool.watches : []).flatMap((watch) => {
      const entity = entityOf(watch, args);
      return entity === null ? [] : [{ watch: watch.index, entity }];
    });
    if (places.length !== stored.length)
      throw new BadRecord("an unsettled call has other prior calls than its tool gives");
    return stored.map((prior, at) => {
      const { watch = -1, entity = "" } = places[at] ?? {};
      const decoded = decodePrior(this.program, watch, prior);
      this.priors.push({ prior: decoded, watch, entity, isListed: false });
      return decoded;
    });
  }
}
