import { expect, it } from "vitest";
import { alwaysOwns, isAlwaysThere } from "../../../src/analysis/workflow/named-resource.js";
import { compileFolder } from "../../../src/compiler/compile-pack.js";
import { workflowRules } from "../../../src/workflow/rules/workflow-rules.js";
import { resourceName } from "../../../src/workflow/state/shared-resource.js";
import { withPack } from "../../support/pack-text.js";

const schema = (name: string, required: readonly string[], values: readonly string[]) => ({
  name,
  input_schema: { type: "object", properties: { key: { enum: values } }, required },
});
const DEFINED = [
  schema("required", ["key"], ["a", "b"]),
  schema("optional", [], ["a"]),
  schema("more", ["key"], ["a", "b", "c"]),
  schema("reading", ["key"], ["a"]),
];
const ruled = (name: string, entry: string) => `#== packs/worker/${name}.yaml (with the required fields)
side_effect: write
assertions: { input_invariants: [${entry}], output_invariants: [] }
`;
const PACK = `#== workflow.yaml (with the required fields)
roles: [{ name: worker, session_contract: packs/worker/session.yaml }]
shared_resources: [{ alias: thing, mode: single_writer }]
#== packs/worker/session.yaml (with the required fields)
resources: { thing: { type: thing, extract_from: { path: $.key } } }
graph_analysis: { suppress: [{ check: missing_definition, reason: "The others have no schema" }] }
#== packs/worker/tools.json
${JSON.stringify(DEFINED)}
${["required", "optional", "more"].map((name) => `#== packs/worker/${name}.yaml (with the required fields)\nside_effect: write\n`).join("")}#== packs/worker/reading.yaml (with the required fields)
${ruled("listed", "{ path: $.key, one_of: [a, b] }")}${ruled("equal", "{ path: $.key, equals: a }")}${ruled("typed", "{ path: $.key, type: string }")}${ruled("absent", "{ path: $.key, exists: false }")}${ruled("beside", "{ path: $.other, equals: a }")}`;

it("what every call of a tool names is read from its rules and its schema", () => {
  const { artifact, diagnostics } = withPack(PACK, (folder) => compileFolder(folder));
  const rules = artifact === null ? null : workflowRules(artifact);
  const role = rules?.roles.get("worker");
  const path = role?.resources[0]?.path;
  if (role === undefined || path === undefined) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  const owned = new Set(["a", "b"].map((key) => resourceName({ alias: "thing", key })));
  const tools = artifact?.packs[role.pack]?.tools ?? [];
  const namesOf = (isMeant: (tool: (typeof tools)[number]) => boolean) =>
    tools
      .filter(isMeant)
      .map(({ name }) => name)
      .sort();
  expect(namesOf((tool) => isAlwaysThere(tool, path))).toEqual([
    "equal",
    "listed",
    "more",
    "reading",
    "required",
    "typed",
  ]);
  expect(namesOf((tool) => alwaysOwns(role, tool, owned))).toEqual(["equal", "listed", "required"]);
});
