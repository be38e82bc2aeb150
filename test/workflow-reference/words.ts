/** The parts of answers that are compared, of either implementation. */
interface Judged {
  readonly kind: string;
  readonly reason?: string | undefined;
  readonly repeated?: boolean | undefined;
  readonly would?: Judged | null | undefined;
  readonly approvals?: number | undefined;
}

interface Settled {
  readonly accepted: boolean;
  readonly reason?: string | undefined;
  readonly violation?: unknown;
}

/** A verdict in a few words. */
export function wordOfVerdict({ kind, reason, repeated, would, approvals }: Judged): string {
  const word = kind === "block" ? (reason ?? "block without a reason") : kind;
  const parts = [
    ...(repeated === true ? ["repeated"] : []),
    ...(would === undefined || would === null ? [] : [`would ${wordOfVerdict(would)}`]),
    ...(approvals === undefined ? [] : [`${approvals}`]),
  ];
  return [word, ...parts].join(", ");
}

/** A settlement in a few words. */
export function wordOfSettlement({ accepted, reason, violation }: Settled): string {
  if (!accepted) return `refused, ${reason}`;
  return violation === undefined || violation === null ? "accepted" : "accepted, violated";
}
