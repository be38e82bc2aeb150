import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

const SCRIPT = fileURLToPath(new URL("actor-process.mjs", import.meta.url));

/** A process with one agent. */
class ActorProcess {
  constructor(setting) {
    this.child = fork(SCRIPT, { stdio: ["ignore", "ignore", "inherit", "ipc"] });
    this.ended = once(this.child, "exit");
    this.child.send(setting);
  }

  async perform(step) {
    const answered = once(this.child, "message");
    this.child.send({ step });
    const ended = this.ended.then(([code, signal]) => [{ error: `an agent's process has ended (${code ?? signal})` }]);
    const [{ result, error }] = await Promise.race([answered, ended]);
    if (error !== undefined) throw new Error(error);
    return result;
  }

  async kill() {
    this.child.kill("SIGKILL");
    await this.ended;
  }

  async close() {
    this.child.disconnect();
    await this.ended;
  }
}

/** Each agent in a process of its own, all on one store. A crash is a SIGKILL; the next step starts another process. */
export async function inOwnProcesses(setting) {
  const processes = new Map();
  return {
    async perform({ by, ...step }) {
      const process = processes.get(by) ?? new ActorProcess({ ...setting, name: by });
      processes.set(by, process);
      return process.perform(step);
    },
    async crash(name) {
      await processes.get(name).kill();
      processes.delete(name);
    },
    async close() {
      for (const process of processes.values()) await process.close();
    },
  };
}
