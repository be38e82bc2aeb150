import { lowerSchema } from "../../compiler/schema/lower-schema.js";
import { readJson } from "../../language/read-json.js";
import { readToolDefinitions } from "../../language/tool-definitions.js";

const NOWHERE = { file: "", line: 0 };

/** Where the definitions of tools have a `pattern` that no guard can match, and that can be left out: paths by tool. */
export function unjudgedPatterns(text: string): ReadonlyMap<string, readonly string[]> {
  const source = { name: "tools.json", text };
  const { root } = readJson(source);
  if (root === undefined) return new Map();
  const { tools } = readToolDefinitions(source, root);
  return new Map(
    Array.from(tools.values(), ({ name, inputSchema }) => {
      const paths = lowerSchema(inputSchema, () => NOWHERE).problems.flatMap((problem) =>
        problem.kind === "unsupported_schema_pattern" && problem.path !== null ? [problem.path] : [],
      );
      return [name, [...new Set(paths)]];
    }),
  );
}
