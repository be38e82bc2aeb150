import type { JsonObject } from "../../src/base/json.js";

/** Who calls in every session; rules about it are compared elsewhere. */
export const PRINCIPAL: JsonObject = { type: "human", tier: 2, roles: ["a"], region: "EU" };
