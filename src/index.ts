export type { Artifact } from "./artifact/compiled.js";
export { checkArtifact, type DecodeResult, decodeArtifact, type Refusal } from "./artifact/decode.js";
export { encodeArtifact } from "./artifact/encode.js";
export { type CompileOptions, type CompileResult, compilePack } from "./compiler/compile-pack.js";
export type { Severity } from "./diagnostics/diagnostic.js";
export type { PlainDiagnostic as Diagnostic } from "./diagnostics/render-json.js";
