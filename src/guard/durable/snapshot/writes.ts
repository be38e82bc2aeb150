import type { Json } from "../../../base/json.js";
import type { Program } from "../../program/program.js";
import type { ReferenceName, ToolEffects } from "../../program/tool-effects.js";
import { type Call, UNKNOWN } from "../../session/call.js";
import type { Awaited, Session, Write, Writes } from "../../session/session.js";
import { BadRecord } from "../log-record.js";
import type { DecodedSession, DecodedWrite, WriteJson } from "./form.js";

function writeJson({ value, openCall, awaited }: Write): WriteJson {
  const known = value === UNKNOWN || value === undefined ? [] : [value];
  return { value: known, openCall, awaited: awaited?.path.text ?? null };
}

/** All writes to each place as JSON, the last one first. */
export function writesJson(places: ReadonlyMap<string, Writes>): Json {
  return Array.from(places, ([place, writes]) => {
    const all: Json[] = [];
    for (let rest: Writes | null = writes; rest !== null; rest = rest.before) all.push(writeJson(rest.last));
    return [place, all];
  });
}

/** The part of an output, or of arguments, that a tool writes to a place. */
interface Source extends Awaited {
  readonly source: "arguments" | "output";
}

/** What each tool writes to one place. */
type Writers = ReadonlyMap<ToolEffects, readonly Source[]>;

/** Adds what a tool writes to a place; nothing if it unbinds it. */
function addSource<K>(
  places: Map<K, Map<ToolEffects, Source[]>>,
  place: K,
  tool: ToolEffects,
  ...source: readonly Source[]
): void {
  const writers = places.get(place) ?? new Map<ToolEffects, Source[]>();
  writers.set(tool, [...(writers.get(tool) ?? []), ...source]);
  places.set(place, writers);
}

/** Reads the writes to slots and references, which must be such as the tools of the program make. */
export class DecodedWrites {
  private readonly bySlot = new Map<string, Map<ToolEffects, Source[]>>();
  private readonly byReference: readonly Map<ReferenceName, Map<ToolEffects, Source[]>>[];

  constructor(
    program: Program,
    private readonly calls: ReadonlyMap<string, Call>,
  ) {
    this.byReference = program.envelopes.map(() => new Map());
    for (const tool of program.tools.values()) {
      for (const bind of tool.binds) addSource(this.bySlot, bind.slot, tool, bind);
      for (const slot of tool.unbinds) addSource(this.bySlot, slot, tool);
      for (const { envelope, stage, writes } of tool.stages) {
        const references = this.byReference[envelope];
        if (writes !== null && references !== undefined) addSource(references, writes, tool, stage);
      }
    }
  }

  slots(stored: DecodedSession["slots"]): Session["slots"] {
    return this.all(stored, this.bySlot);
  }

  references(stored: DecodedSession["references"]): Session["references"] {
    const { byReference } = this;
    if (stored.length !== byReference.length) throw new BadRecord("its envelopes are not those of the program");
    return byReference.map((places, envelope) => this.all(stored[envelope] ?? new Map(), places));
  }

  private all<K extends string>(
    stored: ReadonlyMap<string, readonly DecodedWrite[]>,
    places: ReadonlyMap<K, Writers>,
  ): Map<K, Writes> {
    const known = new Map<string, K>(Array.from(places.keys(), (place) => [place, place]));
    const decoded = new Map<K, Writes>();
    for (const [name, writes] of stored) {
      const place = known.get(name);
      const writers = place === undefined ? undefined : places.get(place);
      if (place === undefined || writers === undefined) throw new BadRecord("no tool of the program writes to a place");
      decoded.set(place, this.chain(writes, writers));
    }
    return decoded;
  }

  /** The writes to one place, the last one first. */
  private chain(stored: readonly DecodedWrite[], writers: Writers): Writes {
    let chain: Writes | null = null;
    for (const write of stored.toReversed()) {
      const last = this.write(write, writers);
      if (chain !== null && last.openCall === null) throw new BadRecord("a write is behind that of a settled call");
      chain = { last, before: chain };
    }
    if (chain === null) throw new BadRecord("nothing was written to a place");
    return chain;
  }

  private write({ value, openCall, awaited }: DecodedWrite, writers: Writers): Write {
    const [known, ...more] = value;
    if (more.length > 0 || (awaited !== null && value.length > 0)) throw new BadRecord("a write has too many values");
    const call = openCall === null ? undefined : this.calls.get(openCall);
    const sources = call?.tool.commitsAtDispatch === true ? writers.get(call.tool) : undefined;
    if (openCall !== null && sources === undefined) throw new BadRecord("a write is not that of an unsettled call");
    if (awaited === null) return { value: known, openCall, awaited };
    const found = sources?.find(({ source, path }) => source === "output" && path.text === awaited);
    if (found === undefined) throw new BadRecord("a call does not write what is awaited of it");
    const { path, decode } = found;
    return { value: UNKNOWN, openCall, awaited: decode === undefined ? { path } : { path, decode } };
  }
}
