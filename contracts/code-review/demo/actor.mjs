import { openWorkflow, WorkflowRefused } from "contract-guard/workflow";

function refusalLines({ message, rule, hint, found }) {
  const place = rule === undefined ? "" : ` [${rule.file}:${rule.line}]`;
  return [`${message}${place}`, `found: ${found}`, `hint: ${hint ?? ""}`];
}

/** What a step led to: what was done, how it ended, and more about that. */
function done(what, outcome, details = []) {
  return { what, outcome, details };
}

function judged(what, verdict) {
  return verdict.kind === "block"
    ? done(what, `block ${verdict.reason}`, refusalLines(verdict))
    : done(what, verdict.kind);
}

/** One agent of the review, with its own view of the workflow. It does what it is told, and reports how that ended. */
export class Actor {
  constructor(name, workflow) {
    this.name = name;
    this.workflow = workflow;
    this.session = null;
  }

  static async open(name, { artifact, store, workflowId }) {
    return new Actor(name, await openWorkflow(artifact, { store, workflowId }));
  }

  /** Does one step of the script. */
  async perform({ does, ...step }) {
    try {
      return await this[does](step);
    } catch (cause) {
      if (!(cause instanceof WorkflowRefused)) throw cause;
      return judged(this.wording(does, step), cause.verdict);
    }
  }

  async start({ role }) {
    this.session = await this.workflow.start(role, { sessionId: this.idOf(this.name) });
    return done("start", "active");
  }

  async handoff({ to, artifacts }) {
    await this.session.handoff("worker", { sessionId: this.idOf(to), artifacts });
    return done(`handoff to ${to}`, "active", [`brings ${Object.keys(artifacts).join(", ")}`]);
  }

  async attach() {
    this.session = await this.workflow.attach(this.idOf(this.name));
    const { unsettled } = this.session.guard.state();
    const left = unsettled.map(({ tool }) => `left behind: ${tool}, outcome unknown`);
    return done("attach", this.session.role, [`has ${Object.keys(this.session.artifacts).join(", ")}`, ...left]);
  }

  async call({ tool, args, output }) {
    const verdict = await this.session.guard.propose({ tool, args });
    if (verdict.kind === "allow") await this.session.guard.settle(verdict.callId, { kind: "result", output });
    return judged(tool, verdict);
  }

  /** Proposes a call and leaves it running. */
  async begin({ tool, args }) {
    return judged(tool, await this.session.guard.propose({ tool, args }));
  }

  /** Reports what became of the calls that were left running. */
  async settle({ output }) {
    const { unsettled } = this.session.guard.state();
    for (const { callId } of unsettled) await this.session.guard.settle(callId, { kind: "result", output });
    return done(`settle ${unsettled.map(({ tool }) => tool).join(", ")}`, "committed");
  }

  async close() {
    await this.session.close();
    return done("close", "closed");
  }

  async kill({ scope, session }) {
    const target = session === undefined ? {} : { session: this.idOf(session) };
    await this.workflow.kill({ scope, ...target, why: "not needed" });
    return done(this.wording("kill", { scope, session }), "killed");
  }

  async look() {
    const { sessions, totals, openHandoffs, resources } = await this.workflow.state();
    const named = ({ id, status, steps }) => `${this.nameOf(id)} ${status}, steps ${steps}`;
    const held = resources.map(({ alias, key, session }) => `${alias} ${key} is held by ${this.nameOf(session)}`);
    const { sessions: all, active, steps } = totals;
    const counts = `sessions ${all}, active ${active}, open handoffs ${openHandoffs}, steps ${steps}`;
    return done("look", counts, [...sessions.map(named), ...(held.length === 0 ? ["nothing is held"] : held)]);
  }

  wording(does, { scope, session, to }) {
    return [does, scope, to === undefined ? session : `to ${to}`].filter((word) => word !== undefined).join(" ");
  }

  /** Ids are unique in a store, so each has the workflow's in front. */
  idOf(name) {
    return `${this.workflow.id}/${name}`;
  }

  nameOf(id) {
    return id.slice(this.workflow.id.length + 1);
  }
}
