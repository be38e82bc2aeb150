import { aiSdk } from "./ai.js";
import { anthropic } from "./anthropic.js";
import { hook } from "./hook.js";
import { langchain } from "./langchain.js";
import { openai } from "./openai.js";
import type { Driver } from "./situations.js";

/** One for each framework, in the order of the table. */
export const DRIVERS: readonly Driver[] = [openai, anthropic, aiSdk, langchain, hook];
