const LONGEST = 128;
let before = new Uint8Array(LONGEST + 1);
let previous = new Uint8Array(LONGEST + 1);
let row = new Uint8Array(LONGEST + 1);

/** Edit distance with transpositions of neighbours, up to `limit`; only the cells that can stay below it are computed. */
function distance(a: string, b: string, limit: number): number {
  const far = limit + 1;
  if (Math.abs(a.length - b.length) > limit) return far;
  for (let j = 0; j <= b.length; j++) previous[j] = Math.min(j, far);
  for (let i = 1; i <= a.length; i++) {
    const from = Math.max(1, i - limit);
    const to = Math.min(b.length, i + limit);
    row.fill(far, 0, b.length + 1);
    row[0] = Math.min(i, far);
    let best = row[0] ?? far;
    for (let j = from; j <= to; j++) {
      const same = a.charCodeAt(i - 1) === b.charCodeAt(j - 1);
      let cost = Math.min((previous[j] ?? far) + 1, (row[j - 1] ?? far) + 1, (previous[j - 1] ?? far) + (same ? 0 : 1));
      const isSwapped =
        i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1);
      if (isSwapped) cost = Math.min(cost, (before[j - 2] ?? far) + 1);
      row[j] = Math.min(cost, far);
      best = Math.min(best, cost);
    }
    if (best > limit) return far;
    [before, previous, row] = [previous, row, before];
  }
  return previous[b.length] ?? far;
}

/** The same, without the common beginning and end: similar names usually share both. */
function nearness(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let start = 0;
  while (start < a.length && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  let end = 0;
  const most = Math.min(a.length, b.length) - start;
  while (end < most && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end++;
  return distance(a.slice(start, a.length - end), b.slice(start, b.length - end), limit);
}

/** Among very many names only some with the same beginning are compared: a thousand typing errors must not take seconds. */
function likely(word: string, known: readonly string[]): readonly string[] {
  if (known.length <= 500) return known;
  return known.filter((name) => name[0] === word[0] && Math.abs(name.length - word.length) <= 1).slice(0, 300);
}

/** The candidate a user most likely meant, or `undefined` when none is near. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > LONGEST) return undefined;
  const known = [...candidates].filter((candidate) => candidate !== word && candidate.length <= LONGEST);
  const limit = Math.min(3, Math.max(1, Math.floor(word.length / 3)));
  let found: string | undefined;
  let nearest = limit + 1;
  for (const candidate of likely(word, known)) {
    // Only a candidate nearer than the best one so far is of interest.
    const edits = nearness(word, candidate, nearest - 1);
    if (edits >= nearest) continue;
    nearest = edits;
    found = candidate;
    if (edits === 1) break;
  }
  const lower = word.toLowerCase();
  return found ?? known.find((candidate) => candidate.toLowerCase() === lower);
}

/** What to write instead of an unknown name: the one most likely meant, or all that there are. */
export function nameHelp(word: string, known: readonly string[]): string {
  const meant = suggest(word, known);
  return meant === undefined ? `it may have ${known.join(", ")}` : `did you mean \`${meant}\`?`;
}
