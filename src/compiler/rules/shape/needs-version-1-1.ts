import type { Span } from "../../../diagnostics/source.js";
import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";
import type { RuleContext } from "../../rule-context.js";
import { isOperator } from "./unknown-key.js";

interface Params {
  /** What needs the version. */
  readonly what: string;
  readonly hasSession: boolean;
  /** The file says so of itself, whether or not it uses an addition. */
  readonly isFile: boolean;
}

interface Use {
  readonly span: Span;
  readonly what: string;
}

/** The other files whose own version is a later one: session.yaml is where the version of a pack is set. */
function* laterFiles({ claims, workflow }: RuleContext): Generator<Use> {
  for (const [name, file] of [
    ["claims.yaml", claims],
    ["workflow.yaml", workflow],
  ] as const) {
    if (file?.schema_version === "1.1") yield { span: valueSpan(file, "schema_version"), what: quoted(name) };
  }
}

/** Keys of any file, operators among them. */
function* laterKeys(context: RuleContext): Generator<Use> {
  for (const { key, span } of context.problems("later_key")) {
    yield { span, what: `the ${isOperator(key) ? "operator" : "key"} ${quoted(key)}` };
  }
}

/** A pack that says 1.0 stays portable to other implementations of the language. */
export const needsVersion11 = defineRule<Params>({
  code: "needs_version_1_1",
  stage: "resolve",
  severity: "error",
  what: "A pack of language version 1.0 uses an addition of version 1.1.",
  why: "A pack that says 1.0 can be used with every implementation of the language, and others do not know the additions.",
  fix: 'Set `schema_version: "1.1"` in session.yaml, or write the rule without the addition.',
  message: ({ what }) => `${what} needs language version 1.1, and this pack has 1.0`,
  help: ({ hasSession, isFile }) => {
    if (hasSession) return 'set `schema_version: "1.1"` in session.yaml';
    // Beside a workflow there is often none: the packs of its roles are in other folders.
    if (isFile)
      return 'write `schema_version: "1.0"`: no session.yaml is next to this file, and packs of roles have their own';
    return 'set `schema_version: "1.1"` in session.yaml; this pack has no such file, which means 1.0';
  },
  check(context, report) {
    if (context.version() !== "1.0") return;
    const hasSession = context.session !== null;
    const seen = new Set<Span>();
    const uses = [
      ...Array.from(laterFiles(context), (use) => ({ ...use, isFile: true })),
      ...Array.from(laterKeys(context), (use) => ({ ...use, isFile: false })),
    ];
    for (const { span, what, isFile } of uses) {
      // An alias makes one entry stand at several places.
      if (!seen.has(span)) report(span, { what, hasSession, isFile });
      seen.add(span);
    }
  },
});
