import { checked, type DoctorCheck, type DoctorFinding, skipped } from "./doctor-check.js";
import { describeReply, doctorPost, type Reply, statusOf } from "./doctor-post.js";

/** The documented address of the platform's proxy; shown in a help text, never contacted by itself. */
const DOCUMENTED = "https://api.pipelines.tech/api/odyssey-proxy";
const LONGEST_MS = 10_000;

function judge(reply: Reply): DoctorFinding {
  const found = describeReply(reply);
  if (statusOf(reply) === 401) return { status: "ok", found };
  // A firewall that drops packets looks like a proxy that never answers.
  if (reply.kind === "timeout" || (reply.kind === "lost" && !reply.sent)) {
    return { status: "fail", found, help: "let this machine connect to the proxy: names, firewall, outbound rules" };
  }
  return { status: "warn", found, help: "expected 401 for a made-up token: check that the address is the proxy's" };
}

/** Probes a proxy with a made-up token: a refusal is success, since it shows that the proxy is reachable. */
export async function examineProbe(probeUrl: string | null): Promise<DoctorCheck> {
  if (probeUrl === null) {
    return checked("proxy_probe", skipped("not asked for", `give the address of a proxy, such as ${DOCUMENTED}`));
  }
  const headers = { authorization: "Bearer made-up-token" };
  const url = `${probeUrl}/tools/__reachability_probe__`;
  return checked("proxy_probe", judge(await doctorPost(url, { headers, body: {}, timeoutMs: LONGEST_MS })));
}
