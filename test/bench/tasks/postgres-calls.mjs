import { bareOnPostgres, guardsOnPostgres, withSchema } from "../durable/postgres-contestants.mjs";
import { OUTPUT, warmUp } from "../durable/session.mjs";
import { CALL_BY_CALL, LONG_TURNS, medianTurns } from "../durable/turns.mjs";
import { readArtifact } from "../scenario/guard.mjs";

/** Steps of a workflow; what runs them has work of its own in the background, so it is loaded only where it is measured. */
async function stepsOn(server, count) {
  const { stepsOnPostgres } = await import("../peers/dbos.mjs");
  return stepsOnPostgres(server, OUTPUT, count);
}

/** What the guard is measured against. */
const OTHERS = {
  bare: ({ url, artifact, count }) => bareOnPostgres(url, artifact, count),
  step: ({ server, count }) => stepsOn(server, count),
  sixteen: ({ url, artifact, count }) => guardsOnPostgres(url, artifact, { sessions: 16, count, name: "several" }),
};

/**
 * Milliseconds of a call on PostgreSQL by the guard, and of its statements alone (`bare`), of a recorded `step`, or of a call by each of
 * `sixteen` guards at once.
 */
export async function measure({ server, artifact: text, other }) {
  const artifact = readArtifact(text);
  // Beginning a workflow for each step would be part of it.
  const rounds = other === "bare" ? CALL_BY_CALL : LONG_TURNS;
  const { count } = rounds;
  await warmUp(artifact);
  return withSchema(server, async (url) => {
    const guard = await guardsOnPostgres(url, artifact, { sessions: 1, count });
    const against = await OTHERS[other]({ server, url, artifact, count });
    try {
      return await medianTurns({ guard: guard.turn, [other]: against.turn }, rounds);
    } finally {
      await guard.close();
      await against.close();
    }
  });
}
