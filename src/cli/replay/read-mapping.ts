import { resolve } from "node:path";
import { isJsonObject, type Json } from "../../base/json.js";
import { suggest } from "../../base/suggest.js";
import { readYaml } from "../../language/read-yaml.js";
import { type Mapping, OF_CALL, OF_SESSION, REQUIRED, valuesAt } from "../../replay/mapping/mapping.js";
import { UnreadableTrace } from "../../replay/traced-session.js";
import { UsageError } from "../exit-code.js";
import { readNamedFile } from "../read-named-file.js";

const KNOWN: readonly string[] = [...OF_SESSION, ...OF_CALL];

function checkedPath(name: string, key: string, path: Json | undefined): void {
  if (typeof path !== "string" || !path.startsWith("$")) {
    throw new UsageError(`\`${name}\`: \`${key}\` must be a JSONPath such as $.steps[*]`);
  }
  try {
    valuesAt(key, path, {});
  } catch (cause) {
    if (cause instanceof UnreadableTrace) throw new UsageError(`\`${name}\`: ${cause.message}`);
    throw cause;
  }
}

/** The mapping of a file. */
export function readMapping(cwd: string, name: string): Mapping {
  const { root: value, problems } = readYaml({ name, text: readNamedFile(resolve(cwd, name), name) });
  if (problems.length > 0 || !isJsonObject(value)) {
    throw new UsageError(
      `\`${name}\` is no mapping in YAML: give lines such as \`calls: $.steps[*]\` and \`tool: $.name\``,
    );
  }
  for (const [key, path] of Object.entries(value)) {
    if (!KNOWN.includes(key)) {
      const meant = suggest(key, KNOWN);
      const help = meant === undefined ? `known are ${KNOWN.join(", ")}` : `did you mean \`${meant}\`?`;
      throw new UsageError(`\`${name}\` has the unknown key \`${key}\`; ${help}`);
    }
    checkedPath(name, key, path);
  }
  const missing = REQUIRED.find((key) => !Object.hasOwn(value, key));
  if (missing !== undefined) throw new UsageError(`\`${name}\` lacks \`${missing}\``);
  return value as unknown as Mapping; // its keys are known, and their values texts
}
