import type { Attributes, Meter, MetricOptions } from "@opentelemetry/api";
import { quietly } from "./quiet.js";

/** Takes the measurements of one metric; it never fails. */
export type Metric = (value: number, attributes?: Attributes) => void;

/** A metric that counts up. */
export function counterOf(meter: Meter, name: string, options: MetricOptions): Metric {
  const counter = quietly(() => meter.createCounter(name, options), null);
  return (value, attributes) => quietly(() => counter?.add(value, attributes), undefined);
}

/** A metric that counts up and down. */
export function upDownCounterOf(meter: Meter, name: string, options: MetricOptions): Metric {
  const counter = quietly(() => meter.createUpDownCounter(name, options), null);
  return (value, attributes) => quietly(() => counter?.add(value, attributes), undefined);
}

/** A metric of how values are spread. */
export function histogramOf(meter: Meter, name: string, options: MetricOptions): Metric {
  const histogram = quietly(() => meter.createHistogram(name, options), null);
  return (value, attributes) => quietly(() => histogram?.record(value, attributes), undefined);
}
