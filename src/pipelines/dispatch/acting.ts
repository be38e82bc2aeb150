import { checkedCallOptions } from "../../guard/wrap/call-options.js";
import type { Acting, SubAgent } from "./agent.js";
import type { RunScope } from "./run-scope.js";
import type { RunSession } from "./run-session.js";
import type { Transcript } from "./transcript.js";

/** What bounds and records all that the agents of a run do. */
interface Frame {
  readonly scope: RunScope;
  readonly transcript: Transcript;
}

/** Work that failed and that the agent does not await must not end the process. */
function unattended<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined);
  return work;
}

/** What an agent can do in its session, until the run is over. */
export function actingIn(session: RunSession, frame: Frame): Acting {
  const { scope, transcript } = frame;
  const { actorId, call } = session;
  return {
    callTool: (tool, args, options = {}) => {
      const make = async () => {
        const { signal: own, others } = checkedCallOptions(options);
        const attributed = actorId === null ? others : { actorId, ...others };
        return scope.call(own, (signal) => call(tool, args, { ...attributed, signal }));
      };
      return unattended(transcript.record(tool, args, make));
    },
    handoff: (payload) => unattended(handedOff(session, payload, frame)),
  };
}

async function handedOff(from: RunSession, payload: object, frame: Frame): Promise<SubAgent> {
  frame.scope.signal.throwIfAborted();
  const session = await from.handoff(payload);
  const { actorId, role, artifacts } = session;
  return { ...actingIn(session, frame), actorId, role, artifacts, close: () => session.close() };
}
