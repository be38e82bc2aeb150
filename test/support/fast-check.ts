import fc from "fast-check";
import { seedOf } from "./seed.js";

// Without a fixed seed fast-check uses the time, and a failing run cannot be repeated.
fc.configureGlobal({ seed: seedOf("FAST_CHECK_SEED", 20_261_117) });

/** fast-check with a fixed seed; a property that fails prints it. */
export { fc };
