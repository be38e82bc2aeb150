import { nanosecondsPerDecision, runCalls } from "../scenario/decisions.mjs";
import { guardEngine, readArtifact } from "../scenario/guard.mjs";
import { orderToolNames } from "../scenario/pack.mjs";
import { allowedCalls, READY } from "../scenario/traffic.mjs";

/** A session with so many settled calls behind it. What is measured is released again, so that it stays that old. */
function sessionAfter(artifact, calls) {
  const engine = guardEngine(artifact);
  const traffic = allowedCalls();
  for (let made = 0; made < calls; made += traffic.length) runCalls(engine, traffic.slice(0, calls - made));
  const { toolCalls } = engine.sessions[READY].session;
  if (toolCalls !== calls + 1) throw new Error(`the session holds ${toolCalls} calls, not ${calls} and the approval`);
  return { engine: { ...engine, ending: "released" }, calls: traffic };
}

/** A session with so many calls whose outcome is unknown; they stay reserved. */
function sessionBeside(artifact, open) {
  const engine = guardEngine(artifact);
  const { session } = engine.sessions[READY];
  const traffic = allowedCalls();
  for (let made = 0; made < open; made++) {
    const { tool, args } = traffic[made % traffic.length];
    const { callId } = engine.sessions[READY].propose(tool, args);
    engine.sessions[READY].settle(callId, "indeterminate");
  }
  const { size } = session.unsettled;
  if (size !== open) throw new Error(`the session holds ${size} open calls, not ${open}`);
  return { engine, calls: traffic };
}

/** A session under a pack of many tools; `spread` rotates the calls over them instead of staying with one. */
function sessionAmong(artifact, tools, { spread }) {
  return { engine: guardEngine(artifact), calls: allowedCalls(spread ? orderToolNames(tools) : undefined) };
}

export function measure({ few: fewText, many: manyText }) {
  const few = readArtifact(fewText.artifact);
  const many = readArtifact(manyText.artifact);
  const amongTools = (options) =>
    nanosecondsPerDecision({
      few: sessionAmong(few, fewText.tools, options),
      many: sessionAmong(many, manyText.tools, options),
    });
  return {
    history: nanosecondsPerDecision({
      ten: sessionAfter(few, 10),
      thousand: sessionAfter(few, 1000),
      hundredThousand: sessionAfter(few, 100_000),
    }),
    indeterminate: nanosecondsPerDecision({ none: sessionBeside(few, 0), many: sessionBeside(few, 30_000) }),
    tools: amongTools({ spread: false }),
    spread: amongTools({ spread: true }),
  };
}
