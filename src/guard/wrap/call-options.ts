import { checkedKey } from "../session/call-keys.js";

/**
 * The options of a wrapped call; unknown keys are passed on. For a tool with a contract the guard does the retries and keeps the
 * time: the function that sends the call gets `retry: false` and `timeoutMs`.
 */
export interface CallOptions {
  /** Null counts as none, for callers without types. */
  readonly signal?: AbortSignal;
  /**
   * Names the call: made again under the same key, it is not sent again. A text of 1 to 256 characters. It is passed on, so that the
   * tool can know it too.
   */
  readonly callKey?: string;
  /**
   * What `propose` of the same guard gave under this key for a `wrapped` call: the id of the call, or of the approval that it needs.
   * It is sent under that reservation, by one caller only.
   */
  readonly reserved?: string;
  readonly [key: string]: unknown;
}

/** A function that sends a tool call. */
export type ProxyCall = (tool: string, args: unknown, options?: CallOptions) => Promise<unknown>;

/** The options of `wrap`, about the function that sends calls. */
export interface WrapOptions {
  /**
   * False if it sends each call once and follows no redirect: then a connection that was never made proves that nothing
   * happened.
   */
  readonly followsRedirects?: boolean;
}

/** The options of one call, read once. */
export interface CheckedCallOptions {
  readonly signal: AbortSignal | null;
  readonly callKey: string | undefined;
  readonly reserved: string | undefined;
  /** The options to pass on, with the key and without the signal: the call gets one of its own. */
  readonly others: Readonly<Record<string, unknown>>;
}

function signalOf(signal: unknown): AbortSignal | null {
  if (signal === undefined || signal === null) return null;
  // Reading `aborted` fails on an object that only has the prototype of a signal.
  if (signal instanceof AbortSignal && typeof signal.aborted === "boolean") return signal;
  throw new TypeError("the `signal` of a call must be an AbortSignal");
}

function reservedOf(reserved: unknown, callKey: string | undefined): string | undefined {
  if (reserved === undefined) return undefined;
  if (typeof reserved !== "string") throw new TypeError("`reserved` must be the id of a call or of an approval");
  if (callKey === undefined)
    throw new TypeError("a call that is `reserved` needs the `callKey` that it was proposed with");
  return reserved;
}

/** Reads the options of a call, before anything is reserved for it. */
export function checkedCallOptions(options: unknown): CheckedCallOptions {
  if (options === undefined) return { signal: null, callKey: undefined, reserved: undefined, others: {} };
  if (typeof options !== "object" || options === null) throw new TypeError("the options of a call must be an object");
  const { signal: own, callKey: ownKey, reserved: held, ...others }: Record<string, unknown> = { ...options };
  // The getter of a class is not an own property.
  const signal = signalOf(own === undefined ? Reflect.get(options, "signal") : own);
  const callKey = checkedKey(ownKey === undefined ? Reflect.get(options, "callKey") : ownKey);
  const reserved = reservedOf(held, callKey);
  return { signal, callKey, reserved, others: callKey === undefined ? others : { ...others, callKey } };
}

/** Checks what `wrap` is given. */
export function checkedWrapOptions(options: unknown): Required<WrapOptions> {
  if (options === undefined) return { followsRedirects: true };
  if (typeof options !== "object" || options === null) throw new TypeError("the options of `wrap` must be an object");
  const { followsRedirects = true, ...others }: Record<string, unknown> = { ...options };
  const [unknown] = Reflect.ownKeys(others);
  if (unknown !== undefined) throw new TypeError("`wrap` has no option but `followsRedirects`");
  if (typeof followsRedirects !== "boolean") throw new TypeError("`followsRedirects` must be true or false");
  return { followsRedirects };
}
