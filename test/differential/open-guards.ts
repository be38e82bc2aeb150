import type { Artifact } from "../../src/artifact/compiled.js";
import type { DurableStore } from "../../src/guard/durable-store.js";
import { openStore } from "../../src/stores/open-store.js";
import { type CreateGuard, newSessionId, startGuard } from "./adapter.js";
import { Both } from "./both.js";
import { FailingStore } from "./failing-store.js";
import type { Setting } from "./generate/trace.js";
import type { Options, Pack } from "./reference/model.js";
import { ReferenceGuard } from "./reference-guard.js";

/** The real guard and what it enforces; null where the reference runs alone. */
export type Real = { readonly create: CreateGuard; readonly artifact: Artifact } | null;

type OpenOptions = Options & { readonly settleTimeoutMs: number };

/** Makes guards of one session, on one store. */
class Opener {
  private readonly sessionId = newSessionId();
  private readonly reasons: string[] = [];

  constructor(
    private readonly real: Real,
    private readonly store: FailingStore | DurableStore,
  ) {}

  async open(reference: ReferenceGuard, options: OpenOptions): Promise<Both> {
    const { real, store, sessionId, reasons } = this;
    const made = { ...options, store, sessionId };
    const guard = real === null ? null : await startGuard(real.create, real.artifact, made);
    return new Both(reference, guard, {
      store: store instanceof FailingStore ? store : null,
      reasons,
      reopen: () => this.reopen(reference.another(options), options),
    });
  }

  private async reopen(reference: ReferenceGuard, options: OpenOptions): Promise<Both> {
    const { store, sessionId, reasons } = this;
    const stored = store instanceof FailingStore ? null : await store.load(`session/${sessionId}`);
    reasons.push((stored?.snapshot ?? null) === null ? "reopened" : "reopened from a snapshot");
    return this.open(reference, options);
  }
}

interface Session {
  readonly setting: Setting;
  readonly clock: Options["clock"];
  readonly real: Real;
}

/** The guards of a session, each with a reference of its own. */
export async function openGuards(pack: Pack, { setting, clock, real }: Session): Promise<Both[]> {
  const { first, second, padding, store, ...common } = setting;
  const opener = new Opener(real, store === "durable" ? await openStore("memory:") : new FailingStore());
  const options = { ...common, clock, ...first };
  const reference = new ReferenceGuard(pack, options);
  const both = await opener.open(reference, options);
  for (let made = 0; made < padding; made += 1) await both.guard?.recordCost(0);
  if (second === null) return [both];
  const others = { ...common, clock, ...second };
  return [both, await opener.open(reference.another(others), others)];
}
