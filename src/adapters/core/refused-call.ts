import type { BlockVerdict } from "../../guard/public.js";
import { type Refusal, textOf } from "./refusal.js";

/** A call that is not made, for frameworks whose tools fail by throwing. The model reads the message. */
export class RefusedCall extends Error {
  /** Not enumerable: what was found may be private, and errors end up in logs. */
  declare readonly verdict: BlockVerdict;

  constructor(refusal: Refusal) {
    super(textOf(refusal));
    this.name = "RefusedCall";
    Object.defineProperty(this, "verdict", { value: refusal.verdict, enumerable: false });
  }
}
