import type { CompiledAggregate, CompiledCheck, CompiledPack, CompiledTool } from "../../artifact/compiled.js";
import { isOfModel, type PackRule, type RuleBody, rulesOfCheck } from "../../artifact/pack-rules.js";
import { canonicalJson } from "../../base/canonical-json.js";
import type { Json } from "../../base/json.js";

type CheckEdit = (check: CompiledCheck) => CompiledCheck | null;

function isEqual(one: object, other: object): boolean {
  return canonicalJson(one as unknown as Json) === canonicalJson(other as unknown as Json); // parts of an artifact are JSON
}

/** The checks of all tools, and those of tools without a contract, edited wherever the rule is. */
function inChecks(pack: CompiledPack, { body }: PackRule, edit: CheckEdit): CompiledPack {
  const edited = (checks: readonly CompiledCheck[]) =>
    checks.flatMap((check) => {
      if (!rulesOfCheck(check, pack).some((rule) => isEqual(rule.body, body))) return [check];
      return edit(check) ?? [];
    });
  return {
    ...pack,
    tools: pack.tools.map((tool) => ({ ...tool, checks: edited(tool.checks) })),
    unmatched_checks: edited(pack.unmatched_checks),
  };
}

function inTools(
  pack: CompiledPack,
  names: readonly string[],
  edit: (tool: CompiledTool) => CompiledTool,
): CompiledPack {
  return { ...pack, tools: pack.tools.map((tool) => (names.includes(tool.name) ? edit(tool) : tool)) };
}

/** A list in which one part is another, or missing. */
function replaced<T extends object>(items: readonly T[], old: T, next: T | null): readonly T[] {
  return items.flatMap((item) => (isEqual(item, old) ? (next ?? []) : [item]));
}

/** The new body of a rule, which is of the same kind as the old one. */
function sameKind<B extends RuleBody>(_: B, next: RuleBody | null): B | null {
  return next as B | null; // weaker forms keep their kind
}

function policyEdit(
  body: RuleBody & { readonly kind: "policy_deny" | "policy_allow" | "default_deny" },
  next: RuleBody | null,
): CheckEdit {
  return (check) => {
    if (check.kind !== "policy") return check;
    switch (body.kind) {
      case "policy_deny":
        return { ...check, denies: replaced(check.denies, body.entry, sameKind(body, next)?.entry ?? null) };
      case "policy_allow": {
        // Without any entry what is not allowed might be denied, so that everybody is allowed instead.
        const everybody = body.entries.slice(0, 1).map((entry) => ({ ...entry, principal: [] }));
        return { ...check, allows: sameKind(body, next)?.entries ?? everybody };
      }
      case "default_deny":
        return { ...check, default_deny: null };
    }
  };
}

/** The pack with another form of an aggregate, which is not a check of tools that it does not name. */
function withAggregate(pack: CompiledPack, old: CompiledAggregate, next: CompiledAggregate): CompiledPack {
  const at = pack.aggregates.findIndex((each) => isEqual(each, old));
  const { tools: named } = next;
  const without = (checks: readonly CompiledCheck[]) =>
    checks.filter((check) => check.kind !== "aggregate" || check.index !== at);
  return {
    ...pack,
    aggregates: pack.aggregates.map((each, index) => (index === at ? next : each)),
    tools: pack.tools.map((tool) =>
      named === null || named.includes(tool.name) ? tool : { ...tool, checks: without(tool.checks) },
    ),
  };
}

/** The pack with another form of a rule, for all of its tools; without the rule if that is null. */
export function replaceRule(pack: CompiledPack, rule: PackRule, next: RuleBody | null): CompiledPack {
  const { body } = rule;
  if (isOfModel(body)) return pack;
  switch (body.kind) {
    case "policy_deny":
    case "policy_allow":
    case "default_deny":
      return inChecks(pack, rule, policyEdit(body, next));
    case "forbidden_by":
      return inChecks(pack, rule, (check) =>
        check.kind === "forbidden_by"
          ? { ...check, tools: check.tools.filter(({ tool }) => tool !== body.tool) }
          : check,
      );
    case "aggregate": {
      const weaker = sameKind(body, next);
      if (weaker === null) return inChecks(pack, rule, () => null);
      return withAggregate(pack, body.aggregate, weaker.aggregate);
    }
    case "envelope": {
      const weaker = sameKind(body, next);
      if (weaker === null) return inChecks(pack, rule, () => null);
      return { ...pack, envelopes: replaced(pack.envelopes, body.envelope, weaker.envelope) };
    }
    case "output_invariant": {
      const weaker = sameKind(body, next)?.invariant ?? null;
      return inTools(pack, rule.tools, (tool) => ({
        ...tool,
        output_invariants: replaced(tool.output_invariants, body.invariant, weaker),
      }));
    }
    case "ensures": {
      const weaker = sameKind(body, next)?.requirement ?? null;
      return inTools(pack, rule.tools, ({ ensures = [], ...tool }) => {
        const left = replaced(ensures, body.requirement, weaker);
        return left.length === 0 ? tool : { ...tool, ensures: left };
      });
    }
    case "output_stage": {
      const stages = replaced(body.envelope.stages, body.stage, null);
      return { ...pack, envelopes: replaced(pack.envelopes, body.envelope, { ...body.envelope, stages }) };
    }
    case "circuit_breaker": {
      const field = body.of === "blocks" ? "consecutive_blocks" : "consecutive_errors";
      return { ...pack, circuit_breaker: { ...pack.circuit_breaker, [field]: sameKind(body, next)?.most ?? null } };
    }
    default:
      return inChecks(pack, rule, () => sameKind(body, next));
  }
}
