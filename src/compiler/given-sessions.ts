import type { Draft } from "../language/draft.js";
import type { GivenEntry } from "../language/schema/tool.js";
import type { RuleContext } from "./rule-context.js";

/** The session that a test of the pack begins with. */
export interface GivenSession {
  readonly given: Draft<GivenEntry>;
  /** The key that a message names. */
  readonly where: "golden_cases" | "given";
  /** The tool whose golden case it is, for suppressions; scenarios are about several. */
  readonly tool: string | undefined;
}

/** The sessions that golden cases and scenarios begin with. */
export function* givenSessions({ tools, files }: RuleContext): Generator<GivenSession> {
  for (const { name: tool, contract } of tools) {
    for (const { given } of contract.golden_cases ?? []) {
      if (given !== undefined) yield { given, where: "golden_cases", tool };
    }
  }
  for (const { draft } of files.scenarios) {
    if (draft.given !== undefined) yield { given: draft.given, where: "given", tool: undefined };
  }
}
