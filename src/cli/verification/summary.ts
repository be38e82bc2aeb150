import type { Bounds, ClaimResult, Miss, ModelWitness, Verification } from "../../analysis/verification.js";
import { type PackRule, PackRules } from "../../artifact/pack-rules.js";
import { cleanLine } from "../../base/clean.js";
import { counted } from "../../diagnostics/wording.js";
import { sentenceOf } from "../../report/sentences.js";
import type { Verified } from "./findings.js";
import { traceLines } from "./trace-text.js";

/** How the statuses of claims are counted. */
export const CLAIM_WORDS = {
  proved: "proved",
  no_counterexample: "without a counterexample",
  violated: "violated",
} as const;

/** How many of each status there are, in words. */
export function tally<T extends string>(statuses: readonly T[], words: Readonly<Record<T, string>>): string {
  const order = Object.keys(words).filter((status): status is T => statuses.some((each) => each === status));
  return order.map((status) => `${statuses.filter((each) => each === status).length} ${words[status]}`).join(", ");
}

/** How far the exploration went. */
export function boundLine({ depth, states, explored }: Bounds, more = ""): string {
  return `  bound   ${counted(explored, "state")} explored (at most ${depth} steps and ${states} states a search${more})`;
}

/** What it left out. */
export function metLine({ hit }: Bounds, isFull: boolean): string {
  return `  met     ${isFull ? hit.join(", ") : "bounds and simplifications that --witnesses names"}`;
}

/** What is known of each claim, and why, or how far the search went. */
export function claimLines(claims: readonly Omit<ClaimResult, "rules" | "trace">[]): readonly string[] {
  return claims.map(({ text, status, because, states, met }) => {
    if (status === "proved") return `    proved: ${text}, because ${because}`;
    if (status === "violated") return `    violated: ${text}`;
    return `    no counterexample in ${counted(states, "state")}: ${text} (met: ${met.join(", ")})`;
  });
}

/** The bodies that show a rule on requests or responses. */
function witnessLines({ provider, request, response, said }: ModelWitness): readonly string[] {
  const sent = `request to ${provider}: ${JSON.stringify(request)}`;
  return [sent, ...(response === null ? [] : [`response: ${JSON.stringify(response)}`]), `guard: ${said}`];
}

/** A heading and its lines, after an empty line. */
export function block(heading: string, lines: readonly string[]): readonly string[] {
  return ["", `    ${heading}`, ...lines.map((line) => `      ${line}`)];
}

/** Sessions that show what is wrong: violated claims and stuck states. */
function wrongs({ claims, stuck }: Verification): readonly string[] {
  return [
    ...claims.flatMap(({ text, trace }) => (trace === null ? [] : block(`counterexample: ${text}`, traceLines(trace)))),
    ...stuck.flatMap(({ phase, cause, isProved, trace }) => {
      const words = isProved ? "stuck" : "no path to an end was found";
      return cause === "limits" ? [] : block(`${words} in ${phase}:`, traceLines(trace));
    }),
  ];
}

function placeOf({ at }: PackRule): string {
  return at === null ? "" : `${at.file}:${at.line}: `;
}

/** A refused session, and the rules that refuse its last call. */
function missLines({ trace, refusedBy }: Miss, known: PackRules): readonly string[] {
  const rules = known.all.filter(({ id }) => refusedBy.includes(id));
  return [...traceLines(trace), ...rules.map((rule) => `refused by ${placeOf(rule)}${sentenceOf(rule)}`)];
}

/** The sessions that came closest to what is impossible or was not found. */
function nearMisses({ pack, verification: { tools, rules } }: Verified): readonly string[] {
  const known = new PackRules(pack);
  const ofTools = tools.flatMap(({ tool, miss }) =>
    miss === null ? [] : block(`closest to a call of ${tool}:`, missLines(miss, known)),
  );
  const ofRules = rules.flatMap(({ rule: id, miss }) => {
    const rule = known.all.find((candidate) => candidate.id === id);
    if (rule === undefined || miss === null) return [];
    return block(`closest to a refusal by ${placeOf(rule)}${sentenceOf(rule)}`, missLines(miss, known));
  });
  return [...ofTools, ...ofRules];
}

/** Every session that was found: for each tool an allowed call, for each rule one that it refuses. */
function witnesses({ pack, verification }: Verified): readonly string[] {
  const known = new PackRules(pack);
  const tools = verification.tools.flatMap(({ tool, trace }) =>
    trace === null ? [] : block(`${tool} is allowed:`, traceLines(trace)),
  );
  const rules = verification.rules.flatMap(({ rule: id, trace, others, shown }) => {
    const rule = known.all.find((candidate) => candidate.id === id);
    const lines = trace === null ? (shown === undefined ? [] : witnessLines(shown)) : traceLines(trace);
    if (rule === undefined || lines.length === 0) return [];
    const also = others.length === 0 ? "" : ` (with ${counted(others.length, "other rule")})`;
    return block(`${placeOf(rule)}${sentenceOf(rule)}${also}`, lines);
  });
  return [...tools, ...rules];
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
    CLAIM_WORDS,
  );
  const spent = verification.stuck.some(({ cause }) => cause === "limits");
  const lines = [
    `${verification.pack}`,
    `  rules   ${counted(verification.rules.length, "rule")}: ${rules}`,
    `  tools   ${counted(verification.tools.length, "tool")}: ${tools}`,
    ...(claims === "" ? [] : [`  claims  ${counted(verification.claims.length, "claim")}: ${claims}`]),
    ...claimLines(verification.claims),
    ...(spent ? ["  note    a session that uses up its calls or steps ends outside a terminal phase"] : []),
    boundLine(verification.bounds),
    metLine(verification.bounds, isFull),
    ...wrongs(verification),
    ...nearMisses(verified),
    ...(isFull ? witnesses(verified) : []),
  ];
  return `${lines.map(cleanLine).join("\n")}\n`;
}
