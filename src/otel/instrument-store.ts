import { type Meter, metrics } from "@opentelemetry/api";
import type { DurableStore } from "../guard/durable-store.js";
import { histogramOf, type Metric } from "./metrics.js";

/** The requests whose time a decision takes. */
const MEASURED: ReadonlySet<string | symbol> = new Set(["load", "append"]);

async function measured<T>(record: Metric, operation: string, kind: string, call: () => Promise<T>): Promise<T> {
  const begun = performance.now();
  const attributes = { "contract_guard.store.operation": operation, "contract_guard.store.kind": kind };
  try {
    const answer = await call();
    record((performance.now() - begun) / 1000, attributes);
    return answer;
  } catch (cause) {
    record((performance.now() - begun) / 1000, { ...attributes, "error.type": "store_unavailable" });
    throw cause;
  }
}

/** The same store, with a metric of how long it takes to answer. */
export function instrumentStore(
  store: DurableStore,
  { meter = metrics.getMeter("contract-guard") }: { readonly meter?: Meter } = {},
): DurableStore {
  const record = histogramOf(meter, "contract_guard.store.duration", {
    description: "Time that the store took to answer",
    unit: "s",
  });
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      const method = value.bind(target);
      if (!MEASURED.has(name)) return method;
      return (...asked: readonly unknown[]) => measured(record, String(name), store.kind, () => method(...asked));
    },
  });
}
