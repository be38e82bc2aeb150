import type { Command, Option } from "commander";

/** What collects its values into a list may be repeated. */
function isRepeatable(command: Command, option: Option): boolean {
  return option.variadic || Array.isArray(command.getOptionValue(option.attributeName()));
}

/** Of an option that is given twice one value would be dropped silently, so it is rejected: in this command and all below. */
export function rejectRepeatedOptions(command: Command): void {
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
