import type { Command } from "commander";

/** The folder that --root names, if it was given. */
export function rootOf(root: string | undefined): { readonly root?: string } {
  return root === undefined ? {} : { root };
}

/** Nothing outside a pack is read unless an option allows it. */
export function rootOption(command: Command): Command {
  return command.option("--root <folder>", "also read what the pack refers to below this folder (default: the pack)");
}
