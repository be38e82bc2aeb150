import { type Command, InvalidArgumentError, Option } from "commander";
import { DEFAULT_BOUNDS } from "../analysis/default-bounds.js";

/** Reads a whole number above 0. */
export function positive(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new InvalidArgumentError("expected a whole number above 0.");
}

/** How far a pack is explored. */
export function boundOptions(command: Command): Command {
  return command
    .addOption(
      new Option("--depth <steps>", "most steps of a session").argParser(positive).default(DEFAULT_BOUNDS.depth),
    )
    .addOption(
      new Option("--states <count>", "most states of one search").argParser(positive).default(DEFAULT_BOUNDS.states),
    );
}
