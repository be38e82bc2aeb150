import * as d from "../../../base/decoder.js";
import type { Json } from "../../../base/json.js";
import type { SlotKey } from "../../expression/slot-reader.js";
import type { Program } from "../../program/program.js";
import type { Collection } from "../../program/tool-effects.js";
import { type Call, UNKNOWN } from "../../session/call.js";
import type { Session } from "../../session/session.js";
import { textOfValue } from "../../session/slots/slot-changes.js";
import { SlotContent, type StoredContent } from "../../session/slots/slot-content.js";
import type { SlotEntry } from "../../session/slots/slot-entries.js";
import { textOfKeys } from "../../session/slots/slot-key.js";
import { BadRecord } from "../log-record.js";
import { pairs, plain } from "./plain-form.js";

const key: d.Decoder<SlotKey> = d.either(d.string, d.either(d.number, d.boolean));

/** No value is one that is awaited. */
const ENTRY = {
  keys: d.list(key),
  value: d.list(plain),
  openCall: d.nullable(d.string),
  at: d.count,
  since: d.count,
} satisfies { readonly [K in Exclude<keyof SlotEntry, "text">]: d.Decoder<unknown> };

const CONTENT = {
  entries: d.list(d.object(ENTRY)),
  isUnknown: d.boolean,
  hasForgotten: d.boolean,
  leftUnset: d.nullable(d.string),
  serial: d.count,
  arrivals: d.count,
  awaiting: pairs(d.count),
  cleared: pairs(d.count),
} satisfies { readonly [K in keyof StoredContent]: d.Decoder<unknown> };

/** Checks the form of the stored keyed slots and unions. */
export const collectionsForm = d.list(d.object(CONTENT));
type DecodedContent = d.Decoded<typeof collectionsForm>[number];
type DecodedEntry = DecodedContent["entries"][number];

function entryJson({ keys, value, openCall, at, since }: SlotEntry): Json {
  return { keys, value: value === UNKNOWN ? [] : [value], openCall, at, since };
}

function contentJson(content: SlotContent): Json {
  const { entries, awaiting, cleared, isUnknown, hasForgotten, leftUnset, serial, arrivals } = content.stored();
  return {
    entries: entries.map(entryJson),
    ...{ isUnknown, hasForgotten, leftUnset, serial, arrivals, awaiting: [...awaiting], cleared: [...cleared] },
  };
}

/** The keyed slots and unions of a session as JSON; nothing for a pack without any. */
export function collectionsJson({ collections }: Session): { readonly collections?: Json } {
  return collections.size === 0 ? {} : { collections: Array.from(collections.values(), contentJson) };
}

/** Reads the content of one slot, which must be such as the calls of the program make. */
class DecodedSlot {
  constructor(
    private readonly slot: Collection,
    private readonly calls: ReadonlyMap<string, Call>,
  ) {}

  content(stored: DecodedContent): SlotContent {
    const { slot } = this;
    const entries = stored.entries.map((entry) => this.entry(entry));
    const texts = new Set(entries.map(({ text }) => text));
    if (texts.size !== entries.length || texts.size > slot.limit) throw new BadRecord("a slot has too many values");
    if (entries.some(({ at, since }) => at > stored.serial || since > stored.arrivals)) {
      throw new BadRecord("a value of a slot is bound later than any");
    }
    for (const [call, at] of stored.awaiting) {
      this.check(call);
      if (at > stored.serial) throw new BadRecord("a slot awaits a call of later");
    }
    if (stored.cleared.size > slot.limit) throw new BadRecord("a slot has too many keys that were cleared");
    return new SlotContent(slot.depth, slot.limit, { ...stored, entries });
  }

  private entry({ keys, value: values, openCall, at, since }: DecodedEntry): SlotEntry {
    const [value, ...more] = values;
    if (keys.length !== this.slot.depth || more.length > 0) throw new BadRecord("a value of a slot has other keys");
    if ((value === undefined) !== (openCall !== null)) throw new BadRecord("a value of a slot is not awaited");
    if (openCall !== null) this.check(openCall);
    const text = this.slot.kind === "union" ? textOfValue(value ?? null) : textOfKeys(keys);
    if (text === undefined) throw new BadRecord("a value of a union is too large");
    return { text, keys, value: value === undefined ? UNKNOWN : value, openCall, at, since };
  }

  /** Only a call that was committed when it was sent can be awaited. */
  private check(callId: string): void {
    const tool = this.calls.get(callId)?.tool;
    const isAwaited = tool?.commitsAtDispatch === true && tool.collections.some(({ slot }) => slot === this.slot.name);
    if (!isAwaited) throw new BadRecord("a slot awaits a call that does not change it");
  }
}

/** Reads the keyed slots and unions of a snapshot. */
export function decodeCollections(
  { collections }: Program,
  stored: d.Decoded<typeof collectionsForm>,
  calls: ReadonlyMap<string, Call>,
): Session["collections"] {
  if (stored.length !== collections.length) throw new BadRecord("its slots are not those of the program");
  const contents = stored.flatMap((content, index): [string, SlotContent][] => {
    const slot = collections[index];
    return slot === undefined ? [] : [[slot.name, new DecodedSlot(slot, calls).content(content)]];
  });
  return new Map(contents);
}
