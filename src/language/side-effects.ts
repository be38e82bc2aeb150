/** What a call may do, from the harmless to the costly. */
export const SIDE_EFFECTS = ["read", "write", "destructive", "admin", "financial"] as const;

/** The side effects that an acknowledgement is not evidence for and that must not happen twice. */
export const HIGH_RISK: ReadonlySet<string> = new Set(["destructive", "admin", "financial"]);
