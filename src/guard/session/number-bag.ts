/** Adds to a heap whose least item is at the top. */
function push(heap: number[], value: number): void {
  let at = heap.length;
  heap.push(value);
  while (at > 0) {
    const parent = (at - 1) >> 1;
    const above = heap[parent] ?? 0;
    if (above <= value) break;
    heap[at] = above;
    at = parent;
  }
  heap[at] = value;
}

/** Removes the top. */
function pop(heap: number[]): void {
  const value = heap.pop();
  if (value === undefined || heap.length === 0) return;
  let at = 0;
  for (;;) {
    const left = 2 * at + 1;
    if (left >= heap.length) break;
    const child = left + 1 < heap.length && (heap[left + 1] ?? 0) < (heap[left] ?? 0) ? left + 1 : left;
    const below = heap[child] ?? 0;
    if (below >= value) break;
    heap[at] = below;
    at = child;
  }
  heap[at] = value;
}

/**
 * A multiset of numbers that knows its least and greatest at once. Removed numbers stay in the heaps until they reach the top.
 */
export class NumberBag {
  readonly counts: Map<number, number>;
  #least: number[];
  /** Negated, so that the greatest is at the top. */
  #greatest: number[];

  constructor(from?: NumberBag) {
    this.counts = new Map(from?.counts);
    this.#least = [...this.counts.keys()].sort((a, b) => a - b);
    this.#greatest = this.#least.map((value) => -value).reverse();
  }

  add(value: number): void {
    const count = this.counts.get(value) ?? 0;
    this.counts.set(value, count + 1);
    if (count > 0) return;
    // As many removed entries as present ones: rebuild the heap.
    if (this.#least.length > 2 * this.counts.size + 16) this.#least = this.#rebuilt(1);
    else push(this.#least, value);
    if (this.#greatest.length > 2 * this.counts.size + 16) this.#greatest = this.#rebuilt(-1);
    else push(this.#greatest, -value);
  }

  remove(value: number): void {
    const count = this.counts.get(value) ?? 0;
    if (count > 1) this.counts.set(value, count - 1);
    else this.counts.delete(value);
  }

  get least(): number | null {
    return this.#top(this.#least, 1);
  }

  get greatest(): number | null {
    return this.#top(this.#greatest, -1);
  }

  #rebuilt(sign: 1 | -1): number[] {
    // A sorted list is a heap.
    return Array.from(this.counts.keys(), (value) => sign * value).sort((a, b) => a - b);
  }

  #top(heap: number[], sign: 1 | -1): number | null {
    if (this.counts.size === 0) return null;
    while (heap[0] !== undefined && !this.counts.has(sign * heap[0])) pop(heap);
    return heap[0] === undefined ? null : sign * heap[0];
  }
}
