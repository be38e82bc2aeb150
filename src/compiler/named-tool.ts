import type { Draft } from "../language/draft.js";
import type { ToolContract } from "../language/schema/tool.js";

/** A tool contract with the name by which others refer to it. */
export interface NamedTool {
  readonly name: string;
  readonly stem: string;
  readonly contract: Draft<ToolContract>;
}
