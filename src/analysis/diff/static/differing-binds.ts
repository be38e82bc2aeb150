import type { CompiledTool } from "../../../artifact/compiled.js";
import { canonicalJson } from "../../../base/canonical-json.js";
import { type Crossing, grouped } from "../search/crossing-values.js";
import type { Edit } from "../search/edits.js";
import type { Packs } from "../search/principals.js";
import { contentOf } from "./rule-content.js";

/** Values that differ from each other and from those that searches use. */
const VALUES = ["one", "other", 1] as const;

type Bind = CompiledTool["binds"][number];

/** The bindings of a tool that only one of the packs has. */
function differing({ old, new: current }: Packs, tool: string): readonly Bind[] {
  const [before, after] = [old.tool(tool)?.binds ?? [], current.tool(tool)?.binds ?? []];
  const textOf = (bind: Bind) => canonicalJson(contentOf(bind));
  const only = (one: readonly Bind[], other: readonly Bind[]) =>
    one.filter((bind) => !other.some((each) => textOf(each) === textOf(bind)));
  return [...only(before, after), ...only(after, before)];
}

/** Different bindings show only if their sources have different values. */
export function differingBinds(packs: Packs): Crossing {
  const tools = packs.old.pack.tools.map(({ name }) => name);
  const edits = (source: Bind["source"]) =>
    grouped(
      tools.flatMap((tool) =>
        differing(packs, tool)
          .filter((bind) => bind.source === source)
          .flatMap(({ path }) => VALUES.map((value): readonly [string, Edit] => [tool, { path, value }])),
      ),
    );
  return { arguments: [], linked: edits("arguments"), outputs: edits("output"), principals: [], isTyped: false };
}
