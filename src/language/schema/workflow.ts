import Type, { type Static } from "typebox";
import { count, record, text } from "./shared.js";

const closePolicy = (description: string) => Type.Enum(["request_cancel", "terminate", "abandon"], { description });

/** workflow.yaml. */
export const workflowContract = record(
  {
    schema_version: Type.String({ description: 'Version of the language, "1.0" or "1.1"', format: "language-version" }),
    workflow: text("Name of the workflow"),
    roles: Type.Array(
      record({
        name: text("Name of the role"),
        session_contract: text("The role's session.yaml, relative to this file"),
      }),
      { description: "Who takes part, each with its own pack", minItems: 1 },
    ),
    handoffs: Type.Optional(
      Type.Array(
        record(
          {
            from: text("The role that hands off"),
            to: text("The role that takes over; its sessions start by handoffs only"),
            requires_artifacts: Type.Optional(
              Type.Array(text("An artifact"), {
                description: "What the handoff must bring; without one of them it is refused",
              }),
            ),
            parent_close_policy: Type.Optional(
              closePolicy("What happens to the child when its parent ends; the default of the workflow unless given"),
            ),
          },
          "An allowed handoff",
        ),
        { description: "The handoffs that are allowed" },
      ),
    ),
    workflow_limits: Type.Optional(
      record(
        {
          max_sessions: Type.Optional(count("Most sessions ever started")),
          max_active_sessions: Type.Optional(count("Most sessions that have not ended, at once")),
          max_total_steps: Type.Optional(count("Most steps of all sessions together")),
          max_total_cost: Type.Optional(
            Type.Number({
              description: "Cost of all sessions together at which calls and steps are refused",
              minimum: 0,
            }),
          ),
          max_open_handoffs: Type.Optional(count("Most children of handoffs that have not ended, at once")),
        },
        "Limits of the workflow",
      ),
    ),
    shared_resources: Type.Optional(
      Type.Array(
        record({
          alias: text("Name of a resource in the roles' session.yaml"),
          mode: Type.Enum(["single_writer", "exclusive_pending", "serial_only"], {
            description: "How sessions share it",
          }),
        }),
        { description: "Resources that several sessions act on" },
      ),
    ),
    cancellation: Type.Optional(
      record(
        {
          subtree_kill: Type.Optional(
            Type.Boolean({ description: "Whether a kill may take all descendants along (default: false)" }),
          ),
          workflow_kill: Type.Optional(
            Type.Enum(["operator_only"], {
              description: "Who may kill the whole workflow; anybody who runs it unless given",
            }),
          ),
        },
        "Kill scopes",
      ),
    ),
    parent_close_policy: Type.Optional(
      record(
        { default: closePolicy("What happens to children when their parent ends (default: request_cancel)") },
        "Default close policy",
      ),
    ),
  },
  "Coordination of several sessions",
);

export type WorkflowContract = Static<typeof workflowContract>;
