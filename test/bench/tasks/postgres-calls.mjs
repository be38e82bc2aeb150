import { bareOnPostgres, guardOnPostgres, withSchema } from "../durable/postgres-contestants.mjs";
import { OUTPUT, warmUp } from "../durable/session.mjs";
import { medianTurns } from "../durable/turns.mjs";
import { readArtifact } from "../scenario/guard.mjs";

/** Calls, or steps, of one turn. */
const COUNT = 64;
const ROUNDS = { warmUps: 8, turns: 41 };

/** Steps of a workflow; what runs them has work of its own in the background, so it is loaded only where it is measured. */
async function stepsOn(server) {
  const { stepsOnPostgres } = await import("../peers/dbos.mjs");
  return stepsOnPostgres(server, OUTPUT, COUNT);
}

/** Milliseconds of a call on PostgreSQL by the guard, and either of its statements alone (`bare`) or of a recorded `step`. */
export async function measure({ server, artifact: text, other }) {
  const artifact = readArtifact(text);
  await warmUp(artifact);
  return withSchema(server, async (url) => {
    const guard = await guardOnPostgres(url, artifact, COUNT);
    const against = other === "bare" ? await bareOnPostgres(url, artifact, COUNT) : await stepsOn(server);
    try {
      return await medianTurns({ guard: guard.turn, [other]: against.turn }, ROUNDS);
    } finally {
      await guard.close();
      await against.close();
    }
  });
}
