import { SlotContent, type StoredContent } from "./slot-content.js";
import { applyChange, contentAfterSteps, type SlotStep, type StepChange } from "./slot-step.js";

/** What can be stored of a committed slot: the content before the first step that is kept, and those steps. */
export interface StoredSlot extends StoredContent {
  readonly steps: readonly SlotStep[];
}

/** As many steps are kept in any slot. */
const FEWEST_STEPS = 1000;

/** How many steps a slot keeps: about as many as it may have values. */
export function mostSteps(limit: number): number {
  return Math.max(limit, FEWEST_STEPS);
}

/**
 * A keyed slot or a union, as the committed calls left it. A call that commits when it is sent changes it before its output is known: since
 * the first such call that is open, the slot keeps what it was, and what each call did. So an output takes effect at the place of its
 * call, whatever was bound, unbound or forgotten after it, and a guarantee can be judged as if its call had changed nothing.
 */
export class CommittedSlot {
  /** Before the first step; null without steps. */
  private base: SlotContent | null = null;
  private steps: readonly SlotStep[] = [];

  private constructor(
    private content: SlotContent,
    private readonly limit: number,
  ) {}

  static of(depth: number, limit: number, stored?: StoredSlot): CommittedSlot {
    const slot = new CommittedSlot(new SlotContent(depth, limit, stored), limit);
    if (stored !== undefined && stored.steps.length > 0) slot.restore(slot.content, stored.steps);
    return slot;
  }

  /** The content as far as it is known. */
  get present(): SlotContent {
    return this.content;
  }

  /** The largest number of values that it has in any form. */
  get size(): number {
    return Math.max(this.content.size, this.base?.size ?? 0);
  }

  copy(): CommittedSlot {
    const copy = new CommittedSlot(this.content.copy(), this.limit);
    // Steps and the content before them are replaced, never changed.
    copy.base = this.base;
    copy.steps = this.steps;
    return copy;
  }

  stored(): StoredSlot {
    return { ...(this.base ?? this.content).stored(), steps: this.steps };
  }

  /** Changes the slot for a call; `openCall` is one whose end may change it again, or that is judged by what was before it. */
  apply(changes: readonly StepChange[], openCall: string | null): void {
    if (openCall !== null || this.base !== null) this.keep({ openCall, changes });
    for (const change of changes) applyChange(this.content, change);
  }

  /** An open call has ended, and this is what it did. */
  settle(callId: string, changes: readonly StepChange[]): void {
    const { base, steps } = this;
    const at = steps.findIndex(({ openCall }) => openCall === callId);
    // Too much has happened since: the slot has lost what it was.
    if (base === null || at === -1) return;
    const settled = steps.with(at, { openCall: null, changes });
    const first = settled.findIndex(({ openCall }) => openCall !== null);
    const final = first === -1 ? settled : settled.slice(0, first);
    this.restore(contentAfterSteps(base, final), settled.slice(final.length));
  }

  /** The content as if a call had not changed it. */
  without(callId: string): SlotContent {
    const others = this.steps.filter(({ openCall }) => openCall !== callId);
    if (this.base === null || others.length === this.steps.length) return this.content;
    return contentAfterSteps(this.base, others);
  }

  private restore(content: SlotContent, steps: readonly SlotStep[]): void {
    this.steps = steps;
    this.base = steps.length === 0 ? null : content;
    this.content = steps.length === 0 ? content : contentAfterSteps(content, steps);
  }

  private keep(step: SlotStep): void {
    this.base ??= this.content.copy();
    this.steps = [...this.steps, step];
    if (this.steps.length <= mostSteps(this.limit)) return;
    // As if the outputs were lost; what this call changes stays, and its own output is still awaited.
    this.content.lose();
    const isOpen = step.openCall !== null;
    this.base = isOpen ? this.content.copy() : null;
    this.steps = isOpen ? [step] : [];
  }
}
