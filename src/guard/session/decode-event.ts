import type { Place } from "../../artifact/compiled-value.js";
import { isShortName } from "../../base/invariant.js";
import type { Json } from "../../base/json.js";
import { plainJson } from "../values/plain-json.js";
import type { Ending, ErrorSign, SessionEvent } from "./event.js";
import type { ApprovalEnd, PendingApproval } from "./pending-approval.js";
import type { EventPage } from "./store.js";

/** A store returned something else than an event. Names fields only: their content may be private. */
export class BadEvent extends Error {}

const ENDINGS: Readonly<Record<Ending, true>> = {
  committed: true,
  violated: true,
  released: true,
  indeterminate: true,
};
const SIGNS: Readonly<Record<ErrorSign, true>> = { error: true, success: true, neither: true };
/** Every end of an approval. */
export const APPROVAL_ENDS: Readonly<Record<ApprovalEnd, true>> = {
  approved: true,
  granted: true,
  denied: true,
  expired: true,
  resumed: true,
  withdrawn: true,
};
const TIMEOUTS: Readonly<Record<PendingApproval["onTimeout"], true>> = { deny: true, allow: true };

/** Reads the fields of one object, each once and by name; further fields are rejected. */
class Fields {
  private readonly given: Map<string, unknown>;

  constructor(value: unknown) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) throw new BadEvent("it is not an object");
    this.given = new Map(Object.entries(value));
  }

  take(name: string): unknown {
    const value = this.given.get(name);
    this.given.delete(name);
    return value;
  }

  text(name: string): string {
    const value = this.take(name);
    return typeof value === "string" ? value : refuse(name, "text");
  }

  optionalText(name: string): string | undefined {
    const value = this.take(name);
    return value === undefined || typeof value === "string" ? value : refuse(name, "text");
  }

  optionalNumber(name: string): number | undefined {
    const value = this.take(name);
    if (value === undefined || (typeof value === "number" && Number.isFinite(value))) return value;
    return refuse(name, "a number");
  }

  optionalFlag(name: string): boolean | undefined {
    const value = this.take(name);
    return value === undefined || typeof value === "boolean" ? value : refuse(name, "true or false");
  }

  optionalList<T>(name: string, item: (value: unknown) => T): readonly T[] | undefined {
    const value = this.take(name);
    if (value === undefined) return undefined;
    return Array.isArray(value) ? Array.from(value, item) : refuse(name, "a list");
  }

  flag(name: string): boolean {
    const value = this.take(name);
    return typeof value === "boolean" ? value : refuse(name, "true or false");
  }

  number(name: string): number {
    const value = this.take(name);
    return typeof value === "number" && Number.isFinite(value) ? value : refuse(name, "a number");
  }

  /** A copy, so that the store cannot change the session later. */
  json(name: string): Json {
    const plain = plainJson(this.take(name));
    return plain.ok ? plain.value : refuse(name, "JSON");
  }

  oneOf<T extends string>(name: string, words: Readonly<Record<T, true>>): T {
    const value = this.take(name);
    const isWord = (word: unknown): word is T => typeof word === "string" && Object.hasOwn(words, word);
    return isWord(value) ? value : refuse(name, "a known word");
  }

  done<T>(value: T): T {
    for (const rest of this.given.values()) if (rest !== undefined) throw new BadEvent("it has an unknown field");
    return value;
  }
}

function refuse(name: string, wanted: string): never {
  throw new BadEvent(`its \`${name}\` is not ${wanted}`);
}

function indexOf(value: unknown): number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0 ? value : refuse("asking", "indices");
}

function placeOf(value: unknown): Place {
  const fields = new Fields(value);
  return fields.done({ file: fields.text("file"), line: fields.number("line") });
}

/** A copy of a request for an approval, checked to be one. */
export function decodeRequest(value: unknown): PendingApproval {
  const fields = new Fields(value);
  const request = {
    id: fields.text("id"),
    callId: fields.text("callId"),
    tool: fields.text("tool"),
    args: fields.json("args"),
    deadline: fields.number("deadline"),
    onTimeout: fields.oneOf("onTimeout", TIMEOUTS),
    artifactHash: fields.text("artifactHash"),
  };
  const rule = fields.take("rule");
  const more = {
    key: fields.optionalText("key"),
    rule: rule === undefined ? undefined : placeOf(rule),
    digest: fields.optionalText("digest"),
    guard: fields.optionalText("guard"),
    requester: fields.optionalText("requester"),
    notRequester: fields.optionalFlag("notRequester"),
    needed: fields.optionalNumber("needed"),
    approvedBy: fields.optionalList("approvedBy", textOf),
    context: fields.optionalList("context", contextOf),
    rules: fields.optionalList("rules", placeOf),
    asking: fields.optionalList("asking", indexOf),
    because: fields.optionalText("because"),
  };
  return fields.done({ ...request, ...present(more) });
}

type Present<T> = { readonly [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the fields that are absent. */
function present<T extends object>(fields: T): Present<T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries) as Present<T>;
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : refuse("approvedBy", "a list of texts");
}

function contextOf(value: unknown): { readonly label: string; readonly value: Json } {
  const fields = new Fields(value);
  return fields.done({ label: fields.text("label"), value: fields.json("value") });
}

type Kinds = { readonly [K in SessionEvent["kind"]]: (fields: Fields) => SessionEvent & { readonly kind: K } };

/** One reader for each kind: a new kind does not compile without one. */
const READERS: Kinds = {
  reserved: (fields) => {
    const reserved = {
      kind: "reserved",
      callId: fields.text("callId"),
      tool: fields.text("tool"),
      args: fields.json("args"),
      isApproved: fields.flag("isApproved"),
    } as const;
    const more = {
      key: fields.optionalText("key"),
      digest: fields.optionalText("digest"),
      at: fields.optionalNumber("at"),
    };
    return { ...reserved, ...present(more) };
  },
  unanswered: (fields) => ({ kind: "unanswered", callId: fields.text("callId") }),
  blocked: () => ({ kind: "blocked" }),
  settled: (fields) => {
    const settled = {
      kind: "settled",
      callId: fields.text("callId"),
      ending: fields.oneOf("ending", ENDINGS),
      sign: fields.oneOf("sign", SIGNS),
    } as const;
    const isDenied = fields.optionalFlag("isDenied");
    const denied = isDenied === true ? { ...settled, isDenied } : settled;
    const output = fields.take("output");
    if (output === undefined) return denied;
    const plain = plainJson(output);
    return { ...denied, output: plain.ok ? plain.value : refuse("output", "JSON") };
  },
  late_result: (fields) => ({ kind: "late_result", callId: fields.text("callId") }),
  late_result_acknowledged: (fields) => ({
    kind: "late_result_acknowledged",
    callId: fields.text("callId"),
    happened: fields.flag("happened"),
  }),
  step_begun: () => ({ kind: "step_begun" }),
  cost_recorded: (fields) => {
    const usd = fields.number("usd");
    return usd < 0 ? refuse("usd", "a cost") : { kind: "cost_recorded", usd };
  },
  label_added: (fields) => ({ kind: "label_added", label: fields.text("label") }),
  killed: (fields) => ({ kind: "killed", why: fields.text("why") }),
  approval_requested: (fields) => ({ kind: "approval_requested", request: decodeRequest(fields.take("request")) }),
  approval_given: (fields) => {
    const given = { kind: "approval_given", approvalId: fields.text("approvalId"), by: fields.text("by") } as const;
    return { ...given, ...present({ note: fields.optionalText("note") }) };
  },
  approval_ended: (fields) => {
    const ended = {
      kind: "approval_ended",
      approvalId: fields.text("approvalId"),
      end: fields.oneOf("end", APPROVAL_ENDS),
    } as const;
    return { ...ended, ...present({ by: fields.optionalText("by"), note: fields.optionalText("note") }) };
  },
};

function isKind(kind: unknown): kind is SessionEvent["kind"] {
  return typeof kind === "string" && Object.hasOwn(READERS, kind);
}

/** A copy of an event, checked to be one. */
export function decodeEvent(value: unknown): SessionEvent {
  const fields = new Fields(value);
  const kind = fields.take("kind");
  if (!isKind(kind))
    throw new BadEvent(isShortName(kind) ? `its kind \`${kind}\` is not known` : "its kind is not known");
  return fields.done(READERS[kind](fields));
}

/** The page of events that a store returned for everything after a revision. */
export function decodePage(answer: unknown, after: number): EventPage {
  const fields = new Fields(answer);
  const revision = fields.number("revision");
  const events = fields.take("events");
  if (!Array.isArray(events)) refuse("events", "a list");
  // With fewer events than revisions, calls would go uncounted.
  if (revision !== after + events.length) refuse("revision", "the one asked for plus the number of events");
  return { revision, events: Array.from({ length: events.length }, (_, at) => decodeEvent(events[at])) };
}
