import type { SIDE_EFFECTS } from "../language/side-effects.js";

export type SideEffect = (typeof SIDE_EFFECTS)[number];

/** What somebody who offers a tool says about it; nobody vouches for it. */
export interface Annotations {
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
}

/** A guess, and what it was made from. */
export interface Guess {
  readonly sideEffect: SideEffect;
  readonly from: string;
}

/** Words in the names of tools, from the costly to the harmless; of two words the costlier one counts. */
const WORDS: Readonly<Record<Exclude<SideEffect, "write">, readonly string[]>> = {
  financial: [
    ...["pay", "payment", "payout", "refund", "charge", "transfer", "withdraw", "deposit", "purchase", "buy", "sell"],
    ...["invoice", "bill", "debit", "credit", "wire", "trade", "checkout", "donate", "tip", "hedge"],
  ],
  admin: [
    ...["grant", "permission", "permissions", "role", "roles", "admin", "configure", "config", "deploy", "install"],
    ...[
      "password",
      "token",
      "policy",
      "execute",
      "exec",
      "run",
      "shell",
      "command",
      "sql",
      "eval",
      "impersonate",
      "sudo",
    ],
  ],
  destructive: [
    ...["delete", "remove", "drop", "destroy", "purge", "cancel", "revoke", "terminate", "wipe", "erase", "kill"],
    ...["truncate", "clear", "reset", "close", "archive", "uninstall", "disable", "overwrite", "expire", "void"],
  ],
  read: [
    ...["get", "list", "search", "find", "read", "fetch", "query", "lookup", "check", "describe", "show", "count"],
    ...[
      "calculate",
      "compute",
      "view",
      "inspect",
      "preview",
      "validate",
      "verify",
      "browse",
      "think",
      "echo",
      "locate",
    ],
  ],
};

function wordsOf(name: string): readonly string[] {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "");
}

/** Two words that together say something else than the first one, which reads. */
const OTHER_VERBS = ["check in", "check out", "read write", "read modify"];

/**
 * Whether a name says that the tool reads, and nothing else: "get_refund" reads a refund, because only the verb of a name says what is
 * done, but "get_and_delete" and "get_or_create" have two.
 */
function onlyReads([first = "", second = "", ...rest]: readonly string[]): boolean {
  if (!WORDS.read.includes(first) || OTHER_VERBS.includes(`${first} ${second}`)) return false;
  return [second, ...rest].every((word, at, words) => {
    const next = words[at + 1] ?? "";
    return !["and", "or", "then"].includes(word) || WORDS.read.includes(next);
  });
}

/** What the words of a name suggest; a name without a known word may do anything a write does. */
function byName(name: string): Guess {
  const words = wordsOf(name);
  const [first = ""] = words;
  const costly = (["financial", "admin", "destructive"] as const).find((kind) =>
    words.some((word) => WORDS[kind].includes(word)),
  );
  if (onlyReads(words)) return { sideEffect: "read", from: `the word "${first}" of its name` };
  if (costly === undefined) return { sideEffect: "write", from: "its name, in which no word says that it only reads" };
  const word = words.find((each) => WORDS[costly].includes(each)) ?? "";
  return { sideEffect: costly, from: `the word "${word}" of its name` };
}

function rank(sideEffect: SideEffect): number {
  return sideEffect === "read" ? 0 : sideEffect === "write" ? 1 : 2;
}

function byAnnotations({ readOnlyHint, destructiveHint }: Annotations): Guess | null {
  if (readOnlyHint === true) return { sideEffect: "read", from: "its annotation readOnlyHint" };
  if (destructiveHint === true) return { sideEffect: "destructive", from: "its annotation destructiveHint" };
  return readOnlyHint === false ? { sideEffect: "write", from: "its annotation readOnlyHint" } : null;
}

/** What a tool may do: by its name or its annotations, whichever says more. */
export function guessSideEffect(name: string, annotations: Annotations): Guess {
  const named = byName(name);
  const annotated = byAnnotations(annotations);
  if (annotated === null || rank(annotated.sideEffect) < rank(named.sideEffect)) return named;
  if (rank(annotated.sideEffect) > rank(named.sideEffect)) return annotated;
  return named.sideEffect === annotated.sideEffect ? { ...named, from: `${named.from}, and ${annotated.from}` } : named;
}
