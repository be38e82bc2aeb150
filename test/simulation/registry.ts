import type { JsonObject } from "../../src/base/json.js";
import { digestOf } from "../../src/guard/session/call-digest.js";

/** A call that somebody thought of: what it is about is known to the simulation, whatever the log keeps of it. */
export interface Intent {
  readonly tool: string;
  readonly args: JsonObject;
  /** Unique unless the call may be repeated as it is. */
  readonly ref: string;
  readonly digest: string;
}

/** Every call that was ever proposed, by its digest. */
export class Registry {
  private readonly byDigest = new Map<string, Intent>();

  intent(tool: string, args: JsonObject, ref: string): Intent {
    const digest = digestOf({ tool, args }) ?? "";
    const intent = { tool, args, ref, digest };
    this.byDigest.set(digest, intent);
    return intent;
  }

  find(digest: string | undefined): Intent | undefined {
    return digest === undefined ? undefined : this.byDigest.get(digest);
  }
}
