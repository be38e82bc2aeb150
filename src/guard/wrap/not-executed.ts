/** Thrown by a function that sends calls: nothing happened, and nothing will, so the reservation can be released. */
export class NotExecuted extends Error {
  /** As on any other error that a wrapped call throws: false only where surely nothing was done. */
  readonly sent = false;
  declare readonly code?: string;

  constructor(message: string, code?: string) {
    super(message);
    this.name = "NotExecuted";
    if (code !== undefined) this.code = code;
  }
}
