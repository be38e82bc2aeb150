import type { JsonObject } from "../../base/json.js";

/** The events of the parts of a reply, by their index: those of the first call and of all parts after it are kept. */
export class HeldParts {
  private first = Number.POSITIVE_INFINITY;
  private readonly events = new Map<number, JsonObject[]>();

  /** `shift` is how many parts of earlier replies the application has seen. */
  constructor(readonly shift: number) {}

  get isHolding(): boolean {
    return this.first < Number.POSITIVE_INFINITY;
  }

  /** So many parts are passed on at once. */
  passed(all: number): number {
    return Math.min(this.first, all);
  }

  hold(index: number): void {
    this.first = Math.min(this.first, index);
  }

  isHeld(index: number): boolean {
    return index >= this.first;
  }

  keep(index: number, data: JsonObject): void {
    const known = this.events.get(index);
    if (known === undefined) this.events.set(index, [data]);
    else known.push(data);
  }

  kept(index: number): readonly JsonObject[] {
    return this.events.get(index) ?? [];
  }
}
