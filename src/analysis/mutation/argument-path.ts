import type { CheckOf } from "../../artifact/compiled.js";

/** The path of an argument by its name. */
export function argumentPath(name: string): CheckOf<"capture">["path"] {
  return { kind: "definite", text: `$.${name}`, steps: [name] };
}
