/** Keywords under `anyOf` stay with the schema; elsewhere some of them are lowered into invariants of their own. */
function judged(keywords: object): object {
  return { anyOf: [keywords, { const: "never" }] };
}

const number = { type: "number" };

const PROPERTIES = {
  listed: judged({ enum: [1, 2] }),
  few: judged({ minimum: 1, maximum: 5, exclusiveMinimum: 0, exclusiveMaximum: 6, multipleOf: 1 }),
  word: judged({ pattern: "^a+$", minLength: 1, maxLength: 9 }),
  object: judged({
    minProperties: 1,
    maxProperties: 9,
    propertyNames: { maxLength: 9 },
    patternProperties: { "^x": number },
    dependentRequired: { xa: ["xb"] },
    dependentSchemas: { xa: { required: ["xb"] } },
    additionalProperties: false,
    properties: { xa: number },
  }),
  list: judged({ prefixItems: [number], items: number, contains: number, minContains: 1, maxContains: 9 }),
  counted: judged({ minItems: 1, maxItems: 9, uniqueItems: true }),
  mixed: judged({
    allOf: [number],
    oneOf: [number, { type: "string" }],
    not: { type: "string" },
    if: number,
    // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
    then: { minimum: 1 },
    else: false,
  }),
  // biome-ignore lint/suspicious/noThenProperty: the keyword of JSON Schema
  other: judged({ if: { type: "string" }, then: true, else: number }),
  shared: { $ref: "#/$defs/amount" },
};

const DEFINITION = {
  name: "everything",
  description: "Takes every keyword",
  input_schema: { type: "object", properties: PROPERTIES, $defs: { amount: judged(number) } },
};

/** A pack whose one tool has every keyword of JSON Schema that the guard judges. */
export const EVERY_KEYWORD_PACK = `
#== everything.yaml (with the required fields)
#== tools.json
${JSON.stringify([DEFINITION])}
`;

/** Arguments that every keyword judges and accepts. */
export const EVERY_KEYWORD_ARGS = {
  listed: 1,
  few: 2,
  word: "aa",
  object: { xa: 1, xb: 2 },
  list: [1, 2, 3],
  counted: [1, 2],
  mixed: 3,
  other: 5,
  shared: 4,
};
