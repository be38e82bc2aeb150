import { didYouMean, listed, quoted } from "../../../diagnostics/wording.js";
import { declaredArguments } from "../../expression/inferences.js";
import { defineRule } from "../../rule.js";
import { surprisesOf } from "./surprise-rule.js";

interface Params {
  readonly text: string;
  readonly name: string;
  readonly tools: readonly string[];
  readonly isOfSession: boolean;
  readonly isArgument: boolean;
  readonly known: readonly string[];
}

/** At most this many tools are named. */
const MOST_NAMED = 3;

/** A member that no accepted call has makes the expression impossible to judge. */
export const unknownMember = defineRule<Params>({
  code: "unknown_member",
  stage: "resolve",
  severity: "error",
  what: "An expression reads a member that the schema of the tool excludes, or a rule for several tools an argument that one of them does not declare.",
  why: "The member is missing in every such call, and what is missing cannot be judged: the tool would be refused for ever.",
  fix: "Correct the name, limit the entry with `tools`, or say what holds without the member: `!has(args.note) || …`.",
  message: ({ text, name, tools, isOfSession, isArgument }) => {
    if (!isArgument) return `${quoted(text)} does not exist: there is no member ${quoted(name)}`;
    const some = listed(tools.slice(0, MOST_NAMED), "and");
    const more = tools.length > MOST_NAMED ? ` and ${tools.length - MOST_NAMED} more tools` : "";
    return isOfSession
      ? `${some}${more} ${tools.length === 1 ? "does" : "do"} not declare ${quoted(name)}, so every call would be refused`
      : `the schema of ${some}${more} excludes ${quoted(name)}, so every call would be refused`;
  },
  help: ({ name, known, isOfSession }) =>
    didYouMean(
      name,
      known,
      isOfSession
        ? `limit the entry with \`tools\`, or write \`!has(args.${name}) || …\``
        : "correct the name, or add the member to the schema in tools.json",
    ),
  check(context, report) {
    for (const { span, surprise, use, tools, textOf } of surprisesOf(context, "excluded_member")) {
      const { part, name } = surprise;
      const of = part.kind === "member" || part.kind === "index" ? part.of : part;
      const isArgument = of.kind === "variable" && of.name === "args";
      const known = isArgument && use.owner !== null ? (declaredArguments(context, use.owner.name) ?? []) : [];
      report(
        span,
        { text: textOf(part), name, tools, isOfSession: use.owner === null, isArgument, known },
        use.owner?.name,
      );
    }
  },
});
