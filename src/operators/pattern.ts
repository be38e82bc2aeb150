import * as d from "../base/decoder.js";

/**
 * A pattern. `native` ones are proved to take linear time on the engine of JavaScript, which may match short texts; every
 * other is `counted`: run by an engine that counts its steps.
 */
export const pattern = d.object({ engine: d.oneOf("native", "counted"), source: d.string });
export type CompiledPattern = d.Decoded<typeof pattern>;
