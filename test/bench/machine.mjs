import { cpus, totalmem } from "node:os";

/** What the figures were measured on. */
export function describeMachine() {
  return {
    node: process.version,
    cpus: cpus().length,
    model: cpus()[0]?.model ?? "unknown",
    memory_gb: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    date: new Date().toISOString(),
  };
}
