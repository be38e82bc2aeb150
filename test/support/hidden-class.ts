import { setFlagsFromString } from "node:v8";
import { runInThisContext } from "node:vm";

/**
 * Whether V8 keeps some objects in one layout. Where it does not, whatever reads their members misses its caches with every
 * object, and takes many times as long; `{ ...base, added }` is such a case on Node 20.
 */
export function haveOneHiddenClass(objects: readonly object[]): boolean {
  setFlagsFromString("--allow-natives-syntax");
  const haveSameMap: (a: object, b: object) => boolean = runInThisContext("(a, b) => %HaveSameMap(a, b)");
  const [first, ...others] = objects;
  return first !== undefined && others.every((other) => haveSameMap(first, other));
}
