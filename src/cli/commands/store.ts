import { clean, jsonText } from "../../base/clean.js";
import { migrateStore } from "../../stores/open-store.js";
import type { Migrated } from "../../stores/schema.js";
import { StoreError } from "../../stores/store-error.js";
import { storePlace } from "../../stores/store-url.js";
import { EXIT, type ExitCode, UsageError } from "../exit-code.js";
import type { StoreFormat } from "../output-formats.js";
import type { Terminal } from "../terminal.js";

/** What `store migrate` was asked to do. */
export interface StoreMigrateArguments {
  readonly url: string;
  readonly format: StoreFormat;
}

function wording({ from, to }: Migrated): string {
  if (from === null) return `set up with schema ${to}`;
  return from === to ? `already has schema ${to}` : `migrated from schema ${from} to ${to}`;
}

/** Sets up a store, or brings the schema of an older one up to date. */
export async function storeMigrateCommand(
  { cwd, stdout }: Terminal,
  { url, format }: StoreMigrateArguments,
): Promise<ExitCode> {
  try {
    const { shown } = storePlace(url, cwd);
    const migrated = await migrateStore(url, { cwd });
    stdout.write(
      format === "json" ? `${jsonText({ store: shown, ...migrated })}\n` : `${clean(shown)}: ${wording(migrated)}\n`,
    );
    return EXIT.clean;
  } catch (cause) {
    if (cause instanceof StoreError) throw new UsageError(cause.message);
    throw cause;
  }
}
