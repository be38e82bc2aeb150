import type { Claim, RoleClaim } from "../../../artifact/claim.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import type { Span } from "../../../diagnostics/source.js";
import { spanOf } from "../../../language/located.js";
import { lowerAllClaims } from "../../lower/lower-claims.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly first: Span;
}

/** The content of a claim, whatever its spelling, its reason and the order of its conditions. */
function contentOf({ at: _at, reason: _reason, ...body }: Claim | RoleClaim): string {
  switch (body.kind) {
    case "requires_approval": {
      const when = body.when.map(({ path, operators }) => canonicalJson({ path: path.text, operators }));
      return canonicalJson({ ...body, when: [...new Set(when)].sort() });
    }
    case "always_possible":
      // Several phases are always all terminal ones, and those may be many.
      return canonicalJson({ ...body, reach: body.reach.length === 1 ? body.reach : "terminal" });
    default:
      return canonicalJson(body);
  }
}

/** A repeated claim is proved twice, and may be corrected in one place only. */
export const duplicateClaim = defineRule<Params>({
  code: "duplicate_claim",
  stage: "graph",
  severity: "warning",
  what: "Two claims state the same.",
  why: "The second proves nothing more; usually another tool, phase or number was meant in one of them.",
  fix: "Drop one of them, or correct what was copied.",
  message: () => "the claim states the same as an earlier one",
  help: () => "drop one of them, or correct what was copied",
  related: ({ first }) => [{ span: first, message: "the earlier one is here" }],
  check(context, report) {
    const entries = context.claims?.claims ?? [];
    const firstOf = new Map<string, Span>();
    lowerAllClaims(context).forEach((claim, index) => {
      const entry = entries[index];
      if (entry === undefined) return;
      const content = contentOf(claim);
      const first = firstOf.get(content);
      if (first === undefined) firstOf.set(content, spanOf(entry));
      else report(spanOf(entry), { first }, "tool" in claim ? claim.tool : undefined);
    });
  },
});
