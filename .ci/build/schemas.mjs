import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { _ } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import standalone from "ajv/dist/standalone/index.js";
import { build } from "esbuild";

/**
 * Makes from the schemas in the sources:
 *   dist/schemas/            the JSON Schemas of the files of a pack, for editors; a second one of tool contracts is for packs
 *                            whose session.yaml has defaults: those fields may be left out
 *   …-validators.js          the code that ajv would compile them to, so that nobody waits for that; beside the declarations
 *                            in src/, and in dist/ where `tsc` puts the rest
 */
const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const SOURCES = `
  export { claimsContract as claims } from "./src/language/schema/claims.ts";
  export { scenarioContract as scenario } from "./src/language/schema/scenario.ts";
  export { sessionContract as session } from "./src/language/schema/session.ts";
  export { toolContract as tool } from "./src/language/schema/tool.ts";
  export { workflowContract as workflow } from "./src/language/schema/workflow.ts";
  export { FORMATS } from "./src/language/formats.ts";
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
    return `export function ${name}Validator(formats) { const module = {}; ${code} return module.exports; }`;
  });
  const text = await bundled(functions.join("\n"), { minify: true });
  for (const folder of ["src", "dist"]) write(`${folder}/${path}.js`, text);
}

const { FORMATS, AGENT_RESPONSE_SCHEMA, ...contracts } = await import(
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

// A test checks the schemas themselves. Where a value breaks one, all errors are wanted, and what stands in the schema there.
const OPTIONS = { strict: false, validateSchema: false, verbose: true };

const forContracts = new Ajv2020({ ...OPTIONS, allErrors: true, code: { source: true, formats: _`formats` } });
for (const name of FORMATS.keys()) forContracts.addFormat(name, () => true);
for (const [name, schema] of Object.entries(contracts)) forContracts.addSchema(schema, name);
await writeValidators("language/contract-validators", forContracts, Object.keys(contracts));

const forResponses = new Ajv2020({ ...OPTIONS, code: { source: true } });
forResponses.addSchema(AGENT_RESPONSE_SCHEMA);
const PARTS = { message: "#/$defs/Message", metadata: "#/properties/metadata" };
for (const [name, pointer] of Object.entries(PARTS)) {
  forResponses.addSchema({ $ref: `${AGENT_RESPONSE_SCHEMA.$id}${pointer}` }, name);
}
await writeValidators("pipelines/response/response-validators", forResponses, Object.keys(PARTS));
