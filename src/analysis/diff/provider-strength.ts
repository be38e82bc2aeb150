import type { CompiledPack } from "../../artifact/compiled.js";
import { type AsStrong, always, inEveryField, isWithin } from "./strength.js";

type Provider = CompiledPack["providers"][number];
type Patterns = Provider["block_incompatible"];

/** All terms of a pattern must match, in whichever order they stand. */
function termsOf(pattern: string): readonly string[] {
  return pattern.split(/\s\+\s/).map((term) => term.trim());
}

/** A pattern with fewer of the same terms matches more requests. */
function areKept(after: Patterns, before: Patterns): boolean {
  return before.every((old) => after.some((now) => isWithin(termsOf(now.pattern), termsOf(old.pattern))));
}

const isProviderKept = inEveryField<Provider>({
  name: always,
  block_incompatible: (after, before) => areKept(after.block_incompatible, before.block_incompatible),
  // What is refused needs no warning.
  warn_incompatible: (after, before) =>
    areKept([...after.block_incompatible, ...after.warn_incompatible], before.warn_incompatible),
  warn_floating_alias: (after, before) => before.warn_floating_alias === false || after.warn_floating_alias !== false,
});

function noneOf({ name }: Provider): Provider {
  return { name, block_incompatible: [], warn_incompatible: [], warn_floating_alias: false };
}

/** Of what requests to a model must not combine. */
export const areProvidersKept: AsStrong<CompiledPack> = (after, before, reading) =>
  before.providers.every((old) =>
    isProviderKept(after.providers.find(({ name }) => name === old.name) ?? noneOf(old), old, reading),
  );
