import fc from "fast-check";
import { seedOf } from "./seed.js";

// Without a seed of its own fast-check takes the time, and a run that fails cannot be told from one that does not.
fc.configureGlobal({ seed: seedOf("FAST_CHECK_SEED", 20_261_117) });

/** fast-check with a fixed seed; a property that fails prints it. */
export { fc };
