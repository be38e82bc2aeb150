import { type Command, Option } from "commander";
import { STORE_FORMATS, type StoreFormat } from "./output-formats.js";
import type { Ask } from "./run.js";
import type { Terminal } from "./terminal.js";

/** The verbs for what guards have stored. */
export function addStoreVerbs(root: Command, terminal: Terminal, ask: Ask): void {
  root
    .command("store")
    .description("manage a store of sessions")
    .command("migrate")
    .description("set up a store, or bring its schema up to date; back it up first")
    .argument("<url>", "sqlite:./guard.db or postgres://user@host:5432/database")
    .addOption(new Option("--format <format>", "how it is printed").choices(STORE_FORMATS).default("text"))
    .action((url: string, { format }: { readonly format: StoreFormat }) =>
      ask(async () => (await import("./commands/store.js")).storeMigrateCommand(terminal, { url, format })),
    );
}
