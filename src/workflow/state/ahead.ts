/** Values by name, in the order in which the names came. A Map is one. */
export interface Table<V> {
  readonly size: number;
  get(name: string): V | undefined;
  has(name: string): boolean;
  set(name: string, value: V): unknown;
  delete(name: string): boolean;
  values(): Iterable<V>;
  entries(): Iterable<readonly [name: string, value: V]>;
}

/** Names in their order. A Set is one. */
export interface Names extends Iterable<string> {
  readonly size: number;
  has(name: string): boolean;
  add(name: string): unknown;
  delete(name: string): boolean;
}

/**
 * A table as it will be, over one that stays as it is as long as this is used. Only what is asked for is copied, so that it costs the
 * same however large the other one is.
 */
export class TableAhead<V> implements Table<V> {
  private readonly changed = new Map<string, V>();
  private readonly added = new Map<string, V>();
  private readonly gone = new Set<string>();

  constructor(
    private readonly base: Table<V>,
    private readonly copy: (value: V) => V,
  ) {}

  get size(): number {
    return this.base.size - this.gone.size + this.added.size;
  }

  get(name: string): V | undefined {
    const known = this.added.get(name) ?? this.changed.get(name);
    if (known !== undefined || this.gone.has(name)) return known;
    const below = this.base.get(name);
    if (below === undefined) return undefined;
    const copied = this.copy(below);
    this.changed.set(name, copied);
    return copied;
  }

  has(name: string): boolean {
    return this.added.has(name) || this.isBelow(name);
  }

  set(name: string, value: V): void {
    if (this.isBelow(name)) this.changed.set(name, value);
    else this.added.set(name, value);
  }

  delete(name: string): boolean {
    if (this.added.delete(name)) return true;
    if (!this.isBelow(name)) return false;
    this.changed.delete(name);
    this.gone.add(name);
    return true;
  }

  *values(): Iterable<V> {
    for (const [, value] of this.entries()) yield value;
  }

  *entries(): Iterable<readonly [name: string, value: V]> {
    for (const [name] of this.base.entries()) {
      const value = this.gone.has(name) ? undefined : this.get(name);
      if (value !== undefined) yield [name, value];
    }
    yield* this.added;
  }

  private isBelow(name: string): boolean {
    return !this.gone.has(name) && this.base.has(name);
  }
}

/** Names as they will be, over others that stay as they are. */
export class NamesAhead implements Names {
  private readonly added = new Set<string>();
  private readonly gone = new Set<string>();

  constructor(private readonly base: Names) {}

  get size(): number {
    return this.base.size - this.gone.size + this.added.size;
  }

  has(name: string): boolean {
    return this.added.has(name) || this.isBelow(name);
  }

  add(name: string): void {
    if (!this.isBelow(name)) this.added.add(name);
  }

  delete(name: string): boolean {
    if (this.added.delete(name)) return true;
    if (!this.isBelow(name)) return false;
    this.gone.add(name);
    return true;
  }

  *[Symbol.iterator](): Iterator<string> {
    for (const name of this.base) if (!this.gone.has(name)) yield name;
    yield* this.added;
  }

  private isBelow(name: string): boolean {
    return !this.gone.has(name) && this.base.has(name);
  }
}
