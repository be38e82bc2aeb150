import { bareOnPostgres, guardOnPostgres, withSchema } from "../durable/postgres-contestants.mjs";
import { OUTPUT, warmUp } from "../durable/session.mjs";
import { CALL_BY_CALL, LONG_TURNS, medianTurns } from "../durable/turns.mjs";
import { readArtifact } from "../scenario/guard.mjs";

/** Steps of a workflow; what runs them has work of its own in the background, so it is loaded only where it is measured. */
async function stepsOn(server, count) {
  const { stepsOnPostgres } = await import("../peers/dbos.mjs");
  return stepsOnPostgres(server, OUTPUT, count);
}

/** Milliseconds of a call on PostgreSQL by the guard, and either of its statements alone (`bare`) or of a recorded `step`. */
export async function measure({ server, artifact: text, other }) {
  const artifact = readArtifact(text);
  // Beginning a workflow for each step would be part of it.
  const rounds = other === "bare" ? CALL_BY_CALL : LONG_TURNS;
  const { count } = rounds;
  await warmUp(artifact);
  return withSchema(server, async (url) => {
    const guard = await guardOnPostgres(url, artifact, count);
    const against = other === "bare" ? await bareOnPostgres(url, artifact, count) : await stepsOn(server, count);
    try {
      return await medianTurns({ guard: guard.turn, [other]: against.turn }, rounds);
    } finally {
      await guard.close();
      await against.close();
    }
  });
}
