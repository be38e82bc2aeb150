import type { Command, Option } from "commander";

/** What collects its values into a list may be repeated. */
function isRepeatable(command: Command, option: Option): boolean {
  return option.variadic || Array.isArray(command.getOptionValue(option.attributeName()));
}

/** Of an option that is given twice one value would be dropped silently, so it is rejected: in this command and all below. */
function rejectRepeatedOptions(command: Command): void {
  for (const option of command.options) {
    if (isRepeatable(command, option)) continue;
    let count = 0;
    command.on(`option:${option.name()}`, () => {
      count += 1;
      if (count > 1) command.error(`error: option '${option.flags}' was given twice; give it once`);
    });
  }
  for (const below of command.commands) rejectRepeatedOptions(below);
}

/** Options of which an empty value has a meaning. */
const MAY_BE_EMPTY: ReadonlySet<string> = new Set(["scheme"]);

/**
 * Rejects an argument or an option whose value is empty, as a shell passes a variable that is not set: as a path it would mean the
 * present folder, and `--root` would then allow more than anybody asked for. A command to run is passed on as it is.
 */
function rejectEmptyValues(root: Command): void {
  root.hook("preAction", (_, command) => {
    command.registeredArguments.forEach((argument, at) => {
      if (!argument.variadic && command.args[at] === "") command.error(`error: argument '${argument.name()}' is empty`);
    });
    for (const option of command.options) {
      const name = option.attributeName();
      const value: unknown = command.getOptionValue(name);
      const isEmpty = value === "" || (Array.isArray(value) && value.includes(""));
      if (isEmpty && !MAY_BE_EMPTY.has(name)) command.error(`error: the value of option '${option.flags}' is empty`);
    }
  });
}

/** Rejects what is surely not meant, of every command: options that are given twice, and empty values. */
export function checkGivenValues(root: Command): void {
  rejectRepeatedOptions(root);
  rejectEmptyValues(root);
}
