/** Edit distance with transpositions of neighbours, cut off above `limit`. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let best = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
      best = Math.min(best, cost);
    }
    if (best > limit) return limit + 1;
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? limit + 1;
}

/** The candidate a user most likely meant, or `undefined` when none is near. */
export function suggest(word: string, candidates: Iterable<string>): string | undefined {
  if (word.length > 128) return undefined;
  const limit = Math.max(1, Math.floor(word.length / 3));
  let found: string | undefined;
  let nearest = limit + 1;
  for (const candidate of candidates) {
    const folded = candidate.toLowerCase() === word.toLowerCase() ? 0 : distance(word, candidate, limit);
    if (folded < nearest && candidate !== word) {
      nearest = folded;
      found = candidate;
    }
  }
  return found;
}
