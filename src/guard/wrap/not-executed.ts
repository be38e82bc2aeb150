/** Thrown by a function that sends calls: nothing happened, and nothing will, so the call can be released. */
export class NotExecuted extends Error {
  /** As on any other error of a wrapped call: false only if surely nothing was done. */
  readonly sent = false;
  declare readonly code?: string;

  constructor(message: string, code?: string) {
    super(message);
    this.name = "NotExecuted";
    if (code !== undefined) this.code = code;
  }
}
