import type { ModelWitness, Verification } from "../../analysis/verification.js";
import { PackRules } from "../../artifact/pack-rules.js";
import { counted } from "../../diagnostics/wording.js";
import { sentenceOf } from "../../report/sentences.js";
import type { Verified } from "./findings.js";
import { traceLines } from "./trace-text.js";

function tally<T extends string>(statuses: readonly T[], words: Readonly<Record<T, string>>): string {
  const order = Object.keys(words).filter((status): status is T => statuses.some((each) => each === status));
  return order.map((status) => `${statuses.filter((each) => each === status).length} ${words[status]}`).join(", ");
}

function boundLine({ depth, states, explored, hit }: Verification["bounds"]): string {
  const limits = `at most ${depth} steps and ${states} states a search`;
  return hit.length === 0
    ? `${counted(explored, "state")} explored, no search cut short (${limits})`
    : `${counted(explored, "state")} explored, some searches cut short by ${hit.join(" and ")} (${limits})`;
}

/** The bodies that show a rule on requests or responses. */
function witnessLines({ provider, request, response, said }: ModelWitness): readonly string[] {
  const sent = `request to ${provider}: ${JSON.stringify(request)}`;
  return [sent, ...(response === null ? [] : [`response: ${JSON.stringify(response)}`]), `guard: ${said}`];
}

function indented(lines: readonly string[]): string {
  return lines.map((line) => `      ${line}\n`).join("");
}

/** Sessions that show what is wrong: broken claims, and ways into being stuck. */
function wrongs({ claims, stuck }: Verification): string {
  let text = "";
  for (const { text: claim, trace } of claims) {
    if (trace !== null) text += `\n    counterexample: ${claim}\n${indented(traceLines(trace))}`;
  }
  for (const { phase, cause, trace } of stuck) {
    if (cause !== "limits") text += `\n    stuck in ${phase}:\n${indented(traceLines(trace))}`;
  }
  return text;
}

/** Every session that was found: for each tool an allowed call, for each rule one that it refuses. */
function witnesses({ pack, verification }: Verified): string {
  const rules = new PackRules(pack);
  let text = "";
  for (const { tool, trace } of verification.tools) {
    if (trace !== null) text += `\n    ${tool} is allowed:\n${indented(traceLines(trace))}`;
  }
  for (const { rule: id, trace, others, shown } of verification.rules) {
    const rule = rules.all.find((candidate) => candidate.id === id);
    const lines = trace === null ? (shown === undefined ? [] : witnessLines(shown)) : traceLines(trace);
    if (rule === undefined || lines.length === 0) continue;
    const place = rule.at === null ? "" : `${rule.at.file}:${rule.at.line}: `;
    const also = others.length === 0 ? "" : ` (with ${counted(others.length, "other rule")})`;
    text += `\n    ${place}${sentenceOf(rule)}${also}\n${indented(lines)}`;
  }
  return text;
}

/** What exploring a pack has shown, for a terminal. */
export function verificationText(verified: Verified, isFull: boolean): string {
  const { verification } = verified;
  const rules = tally(
    verification.rules.map(({ status }) => status),
    {
      fires: "shown to fire",
      never_alone: "only together with others",
      cannot_fire: "can never fire",
      not_shown: "not shown to fire",
    },
  );
  const tools = tally(
    verification.tools.map(({ status }) => status),
    { allowed: "shown to be callable", never_allowed: "never allowed", not_shown: "not shown to be callable" },
  );
  const claims = tally(
    verification.claims.map(({ status }) => status),
    { holds: "hold", holds_within_bound: "hold within the bound", violated: "do not hold" },
  );
  const spent = verification.stuck.some(({ cause }) => cause === "limits");
  const lines = [
    `${verification.pack}`,
    `  rules   ${counted(verification.rules.length, "rule")}: ${rules}`,
    `  tools   ${counted(verification.tools.length, "tool")}: ${tools}`,
    ...(claims === "" ? [] : [`  claims  ${counted(verification.claims.length, "claim")}: ${claims}`]),
    ...(spent ? ["  note    a session that uses up its calls or steps ends outside a terminal phase"] : []),
    `  bound   ${boundLine(verification.bounds)}`,
  ];
  return `${lines.join("\n")}\n${wrongs(verification)}${isFull ? witnesses(verified) : ""}`;
}
