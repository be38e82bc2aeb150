/** What each command can print; apart from the commands, so that the command line is read without loading them. */

export const FORMATS = ["text", "json", "sarif", "github"] as const;
export type Format = (typeof FORMATS)[number];

export const TEST_FORMATS = ["text", "json", "junit"] as const;
export type TestFormat = (typeof TEST_FORMATS)[number];

export const GRAPH_FORMATS = ["html", "svg", "mermaid", "dot", "json"] as const;
export type GraphFormat = (typeof GRAPH_FORMATS)[number];

export const DIFF_FORMATS = ["text", "json", "markdown"] as const;
export type DiffFormat = (typeof DIFF_FORMATS)[number];

export const RESPONSE_FORMATS = ["text", "json"] as const;
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number];

export const DOCTOR_FORMATS = ["text", "json"] as const;
export type DoctorFormat = (typeof DOCTOR_FORMATS)[number];

export const STORE_FORMATS = ["text", "json"] as const;
export type StoreFormat = (typeof STORE_FORMATS)[number];

export const REPLAY_FORMATS = ["text", "json"] as const;
export type ReplayFormat = (typeof REPLAY_FORMATS)[number];
