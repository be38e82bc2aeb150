import type { Artifact } from "../../src/artifact/compiled.js";
import { artifactOf } from "../support/guard-artifact.js";

/** Names that end elements, attributes, scripts and comments, and lines of a script. */
export const HOSTILE = `</script><script>window.broken=1</script><img src=x onerror="window.broken=1">'"\`<!--\u2028\u2029\u202e&lt; $&`;

const quoted = JSON.stringify(HOSTILE);

const PACK = `
#== session.yaml (with the required fields)
agent: ${quoted}
phases:
  - { name: ${quoted}, initial: true }
  - { name: done, terminal: true }
transitions:
  ${quoted}: [done]
policy:
  label_gates:
    - { when_label: ${quoted}, deny_tools: [go], reason: ${quoted} }
aggregates:
  - { name: ${quoted}, metric: sum, tool: go, path: "$.amount", lte: 1, reason: ${quoted} }
#== go.yaml (with the required fields)
transitions: { valid_in_phases: [${quoted}], advances_to: done }
argument_value_invariants:
  - { path: "$.to", exact_match: ${quoted} }
binds:
  - { name: ${quoted}, source: arguments, path: "$.to" }
#== harmless_name.yaml (with the required fields)
argument_value_invariants:
  - { path: "$.to", ref: ${quoted} }
`;

/** An artifact full of such names, its tools included: a file that claims to be one may hold anything. */
export function hostileArtifact(): Artifact {
  const text = JSON.stringify(artifactOf(PACK)).replaceAll("harmless_name", () => quoted.slice(1, -1));
  const artifact: Artifact = JSON.parse(text);
  return artifact;
}
