import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";

/**
 * Makes from the schemas in the sources:
 *   dist/schemas/            the JSON Schemas of the files of a pack, for editors; a second one of tool contracts is for packs
 *                            whose session.yaml has defaults: those fields may be left out
 *   contract-schemas.js      the same as data, without what only editors need; beside its declarations in src/, and in dist/
 *                            where `tsc` puts the rest
 *   response-validators.js   the code that ajv compiles the schema of replies to, so that nobody waits for that
 */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const SOURCES = `
  export { claimsContract as claims } from "./src/language/schema/claims.ts";
  export { scenarioContract as scenario } from "./src/language/schema/scenario.ts";
  export { sessionContract as session } from "./src/language/schema/session.ts";
  export { toolContract as tool } from "./src/language/schema/tool.ts";
  export { workflowContract as workflow } from "./src/language/schema/workflow.ts";
  export { AGENT_RESPONSE_SCHEMA } from "./src/pipelines/response/agent-response-schema.ts";
`;

/** One module of what a text and all its imports say. */
async function bundled(contents, options) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: ROOT },
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
    ...options,
  });
  return outputFiles[0].text;
}

function write(path, text) {
  const file = join(ROOT, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}

/** A module with a function for each schema that is known to ajv by one of these names: it makes the validator. */
async function writeValidators(path, ajv, names) {
  const functions = names.map((name) => {
    const code = standalone.default(ajv, ajv.getSchema(name));
    return `export function ${name}Validator() { const module = {}; ${code} return module.exports; }`;
  });
  const text = await bundled(functions.join("\n"), { minify: true });
  for (const folder of ["src", "dist"]) write(`${folder}/${path}.js`, text);
}

const { AGENT_RESPONSE_SCHEMA, ...contracts } = await import(
  `data:text/javascript,${encodeURIComponent(await bundled(SOURCES))}`
);

/** A schema for editors. */
function writeSchema(name, what, schema) {
  const about = { $schema: "https://json-schema.org/draft/2020-12/schema", title: `contract-guard ${what}` };
  write(`dist/schemas/${name}.schema.json`, `${JSON.stringify({ ...about, ...schema }, null, 2)}\n`);
}

for (const [name, schema] of Object.entries(contracts)) writeSchema(name, `${name} contract`, schema);
const { tool_defaults: defaults } = contracts.session.properties;
const required = contracts.tool.required.filter((field) => !Object.hasOwn(defaults.properties, field));
writeSchema("tool-with-defaults", "tool contract with defaults", { ...contracts.tool, required });

/** The keywords whose values are schemas: one, a list of them, or one for each name. */
const HOLDS = {
  items: (schema, part) => part(schema),
  additionalProperties: (schema, part) => (schema === false ? "false" : part(schema)),
  anyOf: (schemas, part) => `[${schemas.map(part)}]`,
  properties: (schemas, part) =>
    `{${Object.entries(schemas).map(([name, schema]) => `${JSON.stringify(name)}:${part(schema)}`)}}`,
};

/** What `schema-errors.ts` judges, and `since`, which is ours. Any other keyword would be skipped without a word. */
const JUDGED = new Set([
  ...Object.keys(HOLDS),
  ...["type", "since", "const", "enum", "minimum", "maximum", "exclusiveMinimum", "minLength", "format", "minItems"],
  ...["minProperties", "required"],
]);

function keywordText(keyword, value, part) {
  if (!JUDGED.has(keyword)) throw new Error(`src/language/schema-errors.ts does not judge the keyword \`${keyword}\``);
  return `${keyword}:${HOLDS[keyword]?.(value, part) ?? JSON.stringify(value)}`;
}

/** The schemas as a module. Operands occur in many places: what is equal is written once. */
function schemaModule(schemas) {
  const names = new Map();
  const part = ({ description: _, ...schema }) => {
    const entries = Object.entries(schema).map(([keyword, value]) => keywordText(keyword, value, part));
    const text = `{${entries}}`;
    if (!names.has(text)) names.set(text, `s${names.size}`);
    return names.get(text);
  };
  const exported = Object.entries(schemas).map(([name, schema]) => `export const ${name}Schema=${part(schema)};`);
  return [...[...names].map(([text, name]) => `const ${name}=${text};`), ...exported].join("\n");
}

// Parsed first: the schemas carry what only their types need.
for (const folder of ["src", "dist"]) {
  write(`${folder}/language/contract-schemas.js`, schemaModule(JSON.parse(JSON.stringify(contracts))));
}

// Where a value breaks the schema, the first error is wanted, and what stands in the schema there.
const forResponses = new Ajv2020({ strict: false, validateSchema: false, verbose: true, code: { source: true } });
forResponses.addSchema(AGENT_RESPONSE_SCHEMA);
const PARTS = { message: "#/$defs/Message", metadata: "#/properties/metadata" };
for (const [name, pointer] of Object.entries(PARTS)) {
  forResponses.addSchema({ $ref: `${AGENT_RESPONSE_SCHEMA.$id}${pointer}` }, name);
}
await writeValidators("pipelines/response/response-validators", forResponses, Object.keys(PARTS));
