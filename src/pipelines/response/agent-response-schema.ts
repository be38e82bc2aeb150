/** What the platform accepts as the reply of an agent to a single dispatch, as JSON Schema 2020-12. */
export const AGENT_RESPONSE_SCHEMA = {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  $id: "https://docs.pipelines.tech/schemas/agent-response.json",
  type: "object",
  additionalProperties: true,
  required: ["final_response"],
  properties: {
    final_response: { type: "string" },
    messages: { type: ["array", "null"], items: { $ref: "#/$defs/Message" } },
    metadata: { type: ["object", "null"], additionalProperties: true },
  },
  $defs: {
    Message: {
      type: "object",
      additionalProperties: true,
      required: ["role"],
      properties: {
        role: { type: "string", enum: ["system", "user", "assistant", "tool"] },
        content: { oneOf: [{ type: "string" }, { type: "array" }, { type: "null" }] },
        tool_call_id: { type: "string" },
        tool_calls: {
          type: "array",
          items: {
            oneOf: [
              {
                type: "object",
                additionalProperties: true,
                required: ["name"],
                properties: { id: { type: "string" }, name: { type: "string" }, arguments: {} },
              },
              {
                type: "object",
                additionalProperties: true,
                required: ["function"],
                properties: {
                  id: { type: "string" },
                  type: { const: "function" },
                  function: {
                    type: "object",
                    additionalProperties: true,
                    required: ["name"],
                    properties: { name: { type: "string" }, arguments: {} },
                  },
                },
              },
            ],
          },
        },
        thinking: { type: "array", items: { type: "object", additionalProperties: true } },
      },
    },
  },
} as const;
