import type { Verification } from "../../analysis/verification.js";
import { PackRules } from "../../artifact/pack-rules.js";
import { counted } from "../../diagnostics/wording.js";
import { sentenceOf } from "../../report/sentences.js";
import type { Verified } from "./findings.js";
import { traceLines } from "./trace-text.js";

function tally<T extends string>(statuses: readonly T[], words: Readonly<Record<T, string>>): string {
  const order = Object.keys(words).filter((status): status is T => statuses.some((each) => each === status));
  return order.map((status) => `${statuses.filter((each) => each === status).length} ${words[status]}`).join(", ");
}

function boundLines({ depth, states, explored, hit }: Verification["bounds"], isFull: boolean): readonly string[] {
  const limits = `at most ${depth} steps and ${states} states a search`;
  const met = isFull ? hit.join(", ") : "bounds and simplifications that --witnesses names";
  return [`  bound   ${counted(explored, "state")} explored (${limits})`, `  met     ${met}`];
}

/** What is known of each claim, and why, or how far it was looked into. */
function claimLines({ claims }: Verification): readonly string[] {
  return claims.map(({ text, status, because, states, met }) => {
    if (status === "proved") return `    proved: ${text}, because ${because}`;
    if (status === "violated") return `    violated: ${text}`;
    return `    no counterexample in ${counted(states, "state")}: ${text} (met: ${met.join(", ")})`;
  });
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
  for (const { phase, cause, isProved, trace } of stuck) {
    const words = isProved ? "stuck" : "no way on was found";
    if (cause !== "limits") text += `\n    ${words} in ${phase}:\n${indented(traceLines(trace))}`;
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
  for (const { rule: id, trace, others } of verification.rules) {
    const rule = rules.all.find((candidate) => candidate.id === id);
    if (rule === undefined || trace === null) continue;
    const place = rule.at === null ? "" : `${rule.at.file}:${rule.at.line}: `;
    const also = others.length === 0 ? "" : ` (with ${counted(others.length, "other rule")})`;
    text += `\n    ${place}${sentenceOf(rule)}${also}\n${indented(traceLines(trace))}`;
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
      never_alone: "seen only together with others",
      cannot_fire: "proved never to fire",
      not_shown: "not shown to fire",
    },
  );
  const tools = tally(
    verification.tools.map(({ status }) => status),
    {
      allowed: "shown to be callable",
      never_allowed: "proved never to be allowed",
      not_shown: "not shown to be callable",
    },
  );
  const claims = tally(
    verification.claims.map(({ status }) => status),
    { proved: "proved", no_counterexample: "without a counterexample", violated: "violated" },
  );
  const spent = verification.stuck.some(({ cause }) => cause === "limits");
  const lines = [
    `${verification.pack}`,
    `  rules   ${counted(verification.rules.length, "rule")}: ${rules}`,
    `  tools   ${counted(verification.tools.length, "tool")}: ${tools}`,
    ...(claims === "" ? [] : [`  claims  ${counted(verification.claims.length, "claim")}: ${claims}`]),
    ...claimLines(verification),
    ...(spent ? ["  note    a session that uses up its calls or steps ends outside a terminal phase"] : []),
    ...boundLines(verification.bounds, isFull),
  ];
  return `${lines.join("\n")}\n${wrongs(verification)}${isFull ? witnesses(verified) : ""}`;
}
