import { UNKNOWN } from "../../../../src/guard/session/call.js";
import { Calls } from "../../../../src/guard/session/calls.js";
import { NumberBag } from "../../../../src/guard/session/number-bag.js";
import { OpenWrites } from "../../../../src/guard/session/open-effects.js";
import type { Session } from "../../../../src/guard/session/session.js";

/** Parts whose order depends on calls that have ended, and that nothing observes. */
const UNORDERED: ReadonlySet<string> = new Set(["open", "openTexts", "openExtremes", "parts"]);

/** Writes a session as plain values that can be compared: tools by name, calls by id, shared objects by number. */
class Writing {
  private readonly seen = new Map<object, number>();

  plain(value: unknown, isOrdered: boolean): unknown {
    if (value === undefined) return "unset";
    if (value === UNKNOWN) return "unknown";
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value !== "object" || value === null) return value;
    if (value instanceof Calls) return Array.from(value, (call) => this.members(call, isOrdered));
    if (value instanceof Map) return this.list([...value], isOrdered);
    if (value instanceof Set) return this.list([...value], isOrdered);
    if (Array.isArray(value)) return value.map((item) => this.plain(item, isOrdered));
    if (value instanceof NumberBag) {
      return { ...this.members(value, isOrdered), least: value.least, greatest: value.greatest };
    }
    if (value instanceof OpenWrites) {
      return { ids: Array.from(value.calls, ({ id }) => id), ...this.members(value, isOrdered) };
    }
    if ("compiled" in value && "name" in value) return `tool ${value.name}`;
    if ("isListed" in value && "id" in value) return `call ${value.id}`;
    return this.members(value, isOrdered);
  }

  private list(items: readonly unknown[], isOrdered: boolean): unknown {
    const all = items.map((item) => this.plain(item, isOrdered));
    return isOrdered ? all : all.map((item) => JSON.stringify(item)).sort();
  }

  private members(value: object, isOrdered: boolean): object {
    const members: [string, unknown][] = [];
    // Prior calls are changed in place, so it matters which of them are one object.
    if ("satisfies" in value) members.push(["same", this.seen.get(value) ?? this.seen.size]);
    if ("satisfies" in value && !this.seen.has(value)) this.seen.set(value, this.seen.size);
    for (const [name, item] of Object.entries(value)) {
      // Neighbours follow from the order, and tables and this mark only save time.
      if (["before", "after", "isListed", "hasTextless", "most"].includes(name) && !("last" in value)) continue;
      members.push([name, this.plain(item, isOrdered && !UNORDERED.has(name))]);
    }
    return Object.fromEntries(members);
  }
}

/** Everything that a session holds, as plain values. */
export function structureOf(session: Session): unknown {
  return new Writing().plain(session, true);
}
