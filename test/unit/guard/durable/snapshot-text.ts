import type { JsonObject } from "../../../../src/base/json.js";
import { RECORD_VERSION } from "../../../../src/guard/durable/log-record.js";
import { decodeSnapshot, encodeSnapshot } from "../../../../src/guard/durable/session-snapshot.js";
import { prepareProgram } from "../../../../src/guard/program/prepare-program.js";
import type { Program } from "../../../../src/guard/program/program.js";
import { packOf } from "../../../../src/guard/resolved-options.js";
import type { Session } from "../../../../src/guard/session/session.js";
import { tryCompile } from "../../../differential/compile-pack.js";
import type { Pack } from "../../../differential/reference/model.js";

export function programOf(pack: Pack, principal: JsonObject): Program {
  const artifact = tryCompile(pack);
  if (typeof artifact === "string") throw new Error(artifact);
  return prepareProgram(artifact, packOf(artifact, undefined), { env: { LETTER: "a", REGION: "EU" }, principal });
}

/** A session that was written to a text, as the log of a session writes it, and read again. */
export function storedAndRead(program: Program, session: Session): Session {
  const state = JSON.stringify(encodeSnapshot(session));
  const frame = { v: RECORD_VERSION, session: "s", hash: "h", artifact: program.artifact.hash, role: null };
  const text = JSON.stringify({ ...frame, state });
  const snapshot = decodeSnapshot(text);
  return snapshot.decode(program, JSON.parse(snapshot.state));
}
