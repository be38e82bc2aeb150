import { evaluateByGuard } from "../guard-evaluator.js";
import { evaluateByReference } from "../model.js";
import type { Evaluate } from "./run.js";

const NOTHING = { principal: null, labels: [], tool: "", now: 0, constants: {}, timezone: null, slots: new Map() };

/** The reference under test. */
export const evaluateByModel: Evaluate = (text, args) => evaluateByReference(text, { ...NOTHING, args });

/** The guard under test. */
export const evaluateByRealGuard: Evaluate = (text, args) => evaluateByGuard(text, { ...NOTHING, args });
