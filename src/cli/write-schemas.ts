import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { claimsContract } from "../language/schema/claims.js";
import { sessionContract } from "../language/schema/session.js";
import { toolContract } from "../language/schema/tool.js";
import { workflowContract } from "../language/schema/workflow.js";

/** Writes the JSON Schemas of the file kinds for editors; a step of the build. */
const [folder = "dist/schemas"] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });
for (const [name, schema] of Object.entries({
  tool: toolContract,
  session: sessionContract,
  workflow: workflowContract,
  claims: claimsContract,
})) {
  const document = {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `contract-guard ${name} contract`,
    ...schema,
  };
  writeFileSync(join(folder, `${name}.schema.json`), `${JSON.stringify(document, null, 2)}\n`);
}
