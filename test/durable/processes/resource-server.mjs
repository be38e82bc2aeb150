import { createServer } from "node:http";

/**
 * The resources themselves, in a process of their own that outlives the workers: it knows who is really at work on what, and
 * notes whoever comes while another session has the right. It prints its port; it ends with its standard input.
 */
/** Calls at work on each resource. */
const inside = new Map();
/** The session that changed each resource of a single writer, until it says that it is done. */
const owners = new Map();
/** Calls that may never begin any more. */
const voided = new Set();
/** Calls that were at work, ever. */
const begun = new Set();
const violations = [];

function others(resource, session) {
  return [...(inside.get(resource)?.values() ?? [])].filter((work) => work.session !== session);
}

/** Why a session has no right to a resource now. */
function trespass({ resource, mode, session, isMutating }) {
  const owner = owners.get(resource);
  if (mode === "single_writer") return isMutating && owner !== undefined && owner !== session ? owner : null;
  const rivals = others(resource, session).filter((work) => mode === "exclusive_pending" || work.isMutating);
  return (isMutating || mode === "exclusive_pending") && rivals.length > 0 ? rivals[0].session : null;
}

function enter(work) {
  const { call, resource, mode, session, isMutating } = work;
  if (voided.has(call)) return false;
  const rival = trespass(work);
  if (rival !== null) violations.push(`${session} came to ${resource} (${mode}) while ${rival} had it`);
  if (mode === "single_writer" && isMutating) owners.set(resource, session);
  if (!inside.has(resource)) inside.set(resource, new Map());
  inside.get(resource).set(call, work);
  begun.add(call);
  return true;
}

function leave(call) {
  for (const works of inside.values()) works.delete(call);
  return true;
}

/** Whether a call was at work; from now on it is not, and never will be. */
function fence(call) {
  leave(call);
  if (!begun.has(call)) voided.add(call);
  return begun.has(call) ? "happened" : "did_not_happen";
}

/** The session is about to close: what it owns, others may have. */
function release(session) {
  for (const [resource, owner] of owners) if (owner === session) owners.delete(resource);
  return true;
}

const answers = {
  "/enter": enter,
  "/leave": ({ call }) => leave(call),
  "/fence": ({ call }) => fence(call),
  "/release": ({ session }) => release(session),
  "/found": () => ({ violations, begun: [...begun] }),
};

const server = createServer(async (request, response) => {
  let text = "";
  for await (const part of request.setEncoding("utf8")) text += part;
  response.end(JSON.stringify(answers[request.url]?.(JSON.parse(text)) ?? null));
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${server.address().port}\n`));
process.stdin.resume().on("end", () => process.exit(0));
