import { compileGenerated } from "../compile-pack.js";
import { somePack } from "../generate.js";
import type { Pack } from "../reference/model.js";
import type { Random } from "./random.js";

/** A random small pack whose tools can all be called. */
export function someCallablePack(random: Random): Pack {
  for (;;) {
    const pack = somePack(random);
    if (compileGenerated(pack) !== null) return pack;
  }
}
