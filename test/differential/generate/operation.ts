import type { JsonObject } from "../../../src/base/json.js";
import type { StoreFault } from "../failing-store.js";
import type { Acknowledgement, Mode, Options } from "../reference/model.js";
import type { WrappedCall } from "../wrapped-call.js";

/** The store behind the session is out of order meanwhile. */
interface Faulty {
  readonly store?: StoreFault;
}

/** The caller changes arguments or an output after passing them. */
interface Spoilt {
  readonly spoils?: true;
}

type Among = "open" | "any" | "undone" | "nothing";

/** One thing done to a session; calls and requests are named by their place among those so far. */
type Act =
  | ({ readonly op: "propose"; readonly tool: unknown; readonly args: unknown; readonly callKey?: unknown } & Faulty &
      Spoilt)
  | ({
      readonly op: "settle";
      /** Which calls `index` counts, from the last to the first: those still open, all that were allowed, those that were settled as `did_not_happen`, or none. */
      readonly among: Among;
      readonly back: number;
      readonly outcome: unknown;
    } & Faulty &
      Spoilt)
  | ({
      readonly op: "acknowledge";
      readonly among: Among;
      readonly back: number;
      readonly found: Acknowledgement;
    } & Faulty)
  /** Null means an approval that nobody asked for. */
  | ({ readonly op: "approve" | "deny"; readonly back: number | null; readonly by: string } & Faulty)
  | ({ readonly op: "resume"; readonly back: number | null } & Faulty)
  | ({ readonly op: "beginStep" } & Faulty)
  | ({ readonly op: "kill"; readonly why: unknown } & Faulty)
  | ({ readonly op: "recordCost"; readonly usd: number } & Faulty)
  | ({ readonly op: "addLabel"; readonly label: unknown } & Faulty)
  /** A whole call whose caller gives up where somebody is asked first: at once, or a little later. */
  | ({ readonly op: "wrap" } & WrappedCall)
  /** The guard is gone, as after a crash, and another one of the session takes its place. */
  | { readonly op: "reopen" }
  | { readonly op: "wait"; readonly seconds: number };

export type Operation = Act & {
  /** Through the second guard of the session, where it has one. */
  readonly guard?: 1;
};

/** How many people have to approve, and who asks. */
type Approvals = Required<Pick<Options, "approvals">> & Pick<Options, "requester">;

/** How the guards are made for one trace. */
export interface Setting {
  readonly principal: JsonObject | null;
  readonly env: Readonly<Record<string, string>>;
  readonly unmatched: "allow" | "block";
  readonly mode: Mode;
  readonly approver: "manual" | null;
  /** How long settling may take where the store fails; short where that is tried. */
  readonly settleTimeoutMs: number;
  /** One that can be made to fail, or a durable one. */
  readonly store: "failing" | "durable";
  /** How many records without a meaning the session begins with, so that a snapshot of it is written soon. */
  readonly padding: number;
  /** Who may answer what the guard asks for. */
  readonly first: Approvals;
  /** The same of a second guard; null where the session has one only. */
  readonly second: Approvals | null;
}

export interface Trace {
  readonly setting: Setting;
  readonly operations: readonly Operation[];
}
