import type { CompiledCheck } from "../../../artifact/compiled.js";
import type { CompiledOperator } from "../../../artifact/compiled-value.js";
import type { JsonPath } from "../../../base/json-path.js";
import type { PackUnderTest } from "../../model/pack-under-test.js";

/** Whether a check requires an argument to repeat a remembered value. */
export function isRef(check: CompiledCheck): check is Extract<CompiledCheck, { readonly kind: "ref" }> {
  return check.kind === "ref";
}

/** The operators of a tool's own argument rules at a path. */
export function operatorsAt(under: PackUnderTest, tool: string, path: JsonPath): readonly CompiledOperator[] {
  return (under.tool(tool)?.checks ?? []).flatMap((check) => {
    if (!("path" in check) || check.path.text !== path.text) return [];
    if (check.kind === "derived_invariant") return [check.operator];
    return "operators" in check ? check.operators : [];
  });
}

/** Arguments of earlier calls that an argument of the tool must repeat: the earlier tools, and the paths there. */
export function sourcesOf(
  under: PackUnderTest,
  tool: string,
  path: JsonPath,
): readonly (readonly [string, JsonPath])[] {
  const checks = under.tool(tool)?.checks ?? [];
  const priors = checks.flatMap((check) => {
    const resource = check.kind === "precondition" ? check.prior?.resource : null;
    return check.kind === "precondition" && check.prior && resource?.text === path.text ? [check.prior.tool] : [];
  });
  const slots = new Set(checks.filter(isRef).flatMap((check) => (check.path.text === path.text ? [check.slot] : [])));
  const writers = under.pack.tools.flatMap(({ name, binds }) =>
    binds.flatMap((bind) => (slots.has(bind.slot) && bind.source === "arguments" ? [[name, bind.path] as const] : [])),
  );
  return [...priors.map((prior) => [prior, path] as const), ...writers];
}
