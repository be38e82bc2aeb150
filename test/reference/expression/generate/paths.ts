import type { Around, Kind } from "./expression.js";
import { someKey } from "./expression.js";
import { MEMBERS, SLOTS } from "./input.js";

/** Objects whose members are those of every object of the input. */
function objects(around: Around): readonly string[] {
  const own = around.locals.filter(({ kind }) => kind === "object").map(({ name }) => name);
  const output = around.hasOutput ? ["output"] : [];
  return ["args.o", "args", `slots.${SLOTS.object}`, `slots.${SLOTS.keyed}[${someKey(around)}]`, ...own, ...output];
}

function members(around: Around, names: readonly string[]): readonly string[] {
  return objects(around).flatMap((of) => names.map((name) => `${of}.${name}`));
}

/** Texts that read a value which is mostly of the kind. */
export function pathsOf(kind: Kind, around: Around): readonly string[] {
  switch (kind) {
    case "boolean":
      return [...members(around, MEMBERS.boolean), "principal.vip"];
    case "number":
      return [
        ...members(around, ["n"]),
        "args.m",
        "args.ln[0]",
        "args.ln[1.0]",
        "constants.max",
        'constants.fees["gold"]',
        "principal.level",
        `slots.${SLOTS.number}`,
        `slots.${SLOTS.nested}[${someKey(around)}][${someKey(around)}]`,
        `slots.${SLOTS.numbers}[0]`,
      ];
    case "string":
      return [
        ...members(around, ["s"]),
        "args.w",
        "principal.id",
        "tool",
        "args.ls[0]",
        "constants.names[1]",
        "args.t",
      ];
    case "timestamp":
      return [...members(around, MEMBERS.time).map((path) => `timestamp(${path})`), "now"];
    case "duration":
      return MEMBERS.length.map((name) => `duration(args.${name})`);
    case "numbers":
      return [...members(around, MEMBERS.numbers), `slots.${SLOTS.numbers}`];
    case "strings":
      return [...MEMBERS.strings.map((name) => `args.${name}`), "labels", "constants.names", `slots.${SLOTS.words}`];
    case "objects":
      return MEMBERS.objects.map((name) => `args.${name}`);
    case "object":
      return objects(around);
    case "null":
      return ["args.z", "args.o.z"];
  }
}
