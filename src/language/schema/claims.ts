import Type, { type Static } from "typebox";
import { condition, count, record, text, toolName } from "./shared.js";

const never = record(
  {
    tool: toolName("The tool that must not be allowed"),
    role: Type.Optional(text("In sessions of this role of the workflow; alone, or with while")),
    without_prior: Type.Optional(toolName("Before any call of this tool was committed")),
    after: Type.Optional(toolName("Once a call of this tool was committed")),
    when_label: Type.Optional(text("While the session has this label")),
    while: Type.Optional(
      record(
        {
          role: text("A role of the workflow"),
          holds: text("The alias of a shared resource"),
        },
        "While another session, of this role, holds the shared resource",
      ),
    ),
  },
  "A call that is never allowed; exactly one of without_prior, after and when_label, or a role",
);

const claim = record(
  {
    never: Type.Optional(never),
    always_possible: Type.Optional(
      record(
        { reach: text("A phase, or `terminal` for any terminal phase") },
        "What can still be reached, whatever was called",
      ),
    ),
    at_most: Type.Optional(
      record(
        {
          tool: Type.Optional(toolName("The tool")),
          calls: Type.Optional(count("Most calls of it in a session")),
          role: Type.Optional(text("A role of the workflow")),
          sessions: Type.Optional(count("Most sessions of it that are ever started in a workflow")),
        },
        "How often a tool is called, or how many sessions a role has: tool and calls, or role and sessions",
      ),
    ),
    requires_approval: Type.Optional(
      record(
        {
          tool: toolName("The tool"),
          when: Type.Optional(
            Type.Array(condition, {
              description: "Conditions on the arguments that must all hold; without it every call is meant",
              minItems: 1,
            }),
          ),
        },
        "Calls that a person is asked about",
      ),
    ),
    reason: Type.Optional(text("Why, for people")),
  },
  "What must hold for every session; exactly one of never, always_possible, at_most and requires_approval",
);

/** claims.yaml. */
export const claimsContract = record(
  {
    schema_version: Type.String({ description: 'Version of the language, "1.0" or "1.1"', format: "language-version" }),
    claims: Type.Array(claim, { description: "What must hold of every session", minItems: 1 }),
  },
  "Claims about a pack, to be proved or refuted",
);

export type ClaimsContract = Static<typeof claimsContract>;
export type ClaimEntry = Static<typeof claim>;
