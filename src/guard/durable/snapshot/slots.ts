import * as d from "../../../base/decoder.js";
import { invariant, unreachable } from "../../../base/invariant.js";
import type { Json } from "../../../base/json.js";
import type { SlotKey } from "../../expression/slot-reader.js";
import type { Program } from "../../program/program.js";
import type { Collection } from "../../program/tool-effects.js";
import { type Call, UNKNOWN } from "../../session/call.js";
import type { Session } from "../../session/session.js";
import { CommittedSlot, mostSteps, type StoredSlot } from "../../session/slots/committed-slot.js";
import { textOfValue } from "../../session/slots/slot-changes.js";
import type { Binding } from "../../session/slots/slot-content.js";
import type { SlotEntry } from "../../session/slots/slot-entries.js";
import { textOfKeys } from "../../session/slots/slot-key.js";
import type { SlotStep, StepChange } from "../../session/slots/slot-step.js";
import { BadRecord } from "../log-record.js";
import { plain } from "./plain-form.js";

const key: d.Decoder<SlotKey> = d.either(d.string, d.either(d.number, d.boolean));

const ENTRY = {
  keys: d.list(key),
  value: plain,
  at: d.count,
  since: d.count,
} satisfies { readonly [K in Exclude<keyof SlotEntry, "text">]: d.Decoder<unknown> };

/** No value is one that is awaited. */
const BINDING = {
  keys: d.list(key),
  value: d.list(plain),
} satisfies { readonly [K in Exclude<keyof Binding, "text">]: d.Decoder<unknown> };

/** A change by its kind, with the keys that it clears or leaves unset, or what it binds. */
const CHANGE = { kind: d.string, keys: d.optional(d.list(key)), bindings: d.optional(d.list(d.object(BINDING))) };

const STEP = {
  openCall: d.nullable(d.string),
  changes: d.list(d.object(CHANGE)),
} satisfies { readonly [K in keyof SlotStep]: d.Decoder<unknown> };

const SLOT = {
  entries: d.list(d.object(ENTRY)),
  isUnknown: d.boolean,
  hasForgotten: d.boolean,
  leftUnset: d.nullable(d.string),
  serial: d.count,
  arrivals: d.count,
  steps: d.list(d.object(STEP)),
} satisfies { readonly [K in keyof StoredSlot]: d.Decoder<unknown> };

/** Checks the form of the stored keyed slots and unions. */
export const collectionsForm = d.list(d.object(SLOT));
type DecodedSlot = d.Decoded<typeof collectionsForm>[number];
type DecodedStep = DecodedSlot["steps"][number];
type DecodedChange = DecodedStep["changes"][number];

function entryJson({ keys, value, at, since }: SlotEntry): Json {
  invariant(value !== UNKNOWN, "what is awaited is in steps");
  return { keys, value, at, since };
}

function changeJson(change: StepChange): Json {
  switch (change.kind) {
    case "clear":
      return { kind: change.kind, keys: change.keys };
    case "bind": {
      const bindings = change.bindings.map(({ keys, value }) => ({ keys, value: value === UNKNOWN ? [] : [value] }));
      return { kind: change.kind, bindings };
    }
    case "unset":
      return { kind: change.kind, keys: change.place.keys };
    case "lost":
    case "await":
      return { kind: change.kind };
    default:
      return unreachable(change);
  }
}

function slotJson(slot: CommittedSlot): Json {
  const { entries, steps, ...others } = slot.stored();
  return {
    entries: entries.map(entryJson),
    ...others,
    steps: steps.map(({ openCall, changes }) => ({ openCall, changes: changes.map(changeJson) })),
  };
}

/** The keyed slots and unions of a session as JSON; nothing for a pack without any. */
export function collectionsJson({ collections }: Session): { readonly collections?: Json } {
  return collections.size === 0 ? {} : { collections: Array.from(collections.values(), slotJson) };
}

/** Reads one slot, which must be such as the calls of the program make. */
class SlotDecoder {
  constructor(
    private readonly slot: Collection,
    private readonly calls: ReadonlyMap<string, Call>,
  ) {}

  committed(stored: DecodedSlot): CommittedSlot {
    const { depth, limit } = this.slot;
    const entries = stored.entries.map((entry) => ({ ...entry, text: this.text(entry.keys, entry.value) }));
    const texts = new Set(entries.map(({ text }) => text));
    if (texts.size !== entries.length || texts.size > limit) throw new BadRecord("a slot has too many values");
    if (entries.some(({ at, since }) => at > stored.serial || since > stored.arrivals)) {
      throw new BadRecord("a value of a slot is bound later than any");
    }
    if (stored.steps.length > mostSteps(limit)) throw new BadRecord("a slot has too many steps");
    return CommittedSlot.of(depth, limit, { ...stored, entries, steps: stored.steps.map((step) => this.step(step)) });
  }

  private step({ openCall, changes }: DecodedStep): SlotStep {
    if (openCall !== null) this.check(openCall);
    return { openCall, changes: changes.map((change) => this.change(change, openCall !== null)) };
  }

  private change({ kind, keys, bindings }: DecodedChange, isOpen: boolean): StepChange {
    if (kind === "bind" && bindings !== undefined) {
      return { kind, bindings: bindings.map(({ keys, value }) => this.binding(keys, value, isOpen)) };
    }
    if (kind === "clear" && keys !== undefined && keys.length <= this.slot.depth) return { kind, keys };
    if (kind === "unset" && keys !== undefined) return { kind, place: { keys, text: this.text(keys, null) } };
    if (kind === "lost" || (kind === "await" && isOpen)) return { kind };
    throw new BadRecord("a step of a slot is not known");
  }

  private binding(keys: readonly SlotKey[], values: readonly Json[], isOpen: boolean): Binding {
    const [value, ...more] = values;
    if (more.length > 0 || (value === undefined && !isOpen)) throw new BadRecord("a value of a slot is not awaited");
    return { keys, text: this.text(keys, value ?? null), value: value === undefined ? UNKNOWN : value };
  }

  private text(keys: readonly SlotKey[], value: Json): string {
    if (keys.length !== this.slot.depth) throw new BadRecord("a value of a slot has other keys");
    const text = this.slot.kind === "union" ? textOfValue(value) : textOfKeys(keys);
    if (text === undefined) throw new BadRecord("a value of a union is too large");
    return text;
  }

  /** Only a call that was committed when it was sent can change a slot again. */
  private check(callId: string): void {
    const tool = this.calls.get(callId)?.tool;
    const isOpen = tool?.commitsAtDispatch === true && tool.collections.some(({ slot }) => slot === this.slot.name);
    if (!isOpen) throw new BadRecord("a slot awaits a call that does not change it");
  }
}

/** Reads the keyed slots and unions of a snapshot. */
export function decodeCollections(
  { collections }: Program,
  stored: d.Decoded<typeof collectionsForm>,
  calls: ReadonlyMap<string, Call>,
): Session["collections"] {
  if (stored.length !== collections.length) throw new BadRecord("its slots are not those of the program");
  const slots = stored.flatMap((decoded, index): [string, CommittedSlot][] => {
    const slot = collections[index];
    return slot === undefined ? [] : [[slot.name, new SlotDecoder(slot, calls).committed(decoded)]];
  });
  return new Map(slots);
}
