import { checked, type DoctorCheck, skipped } from "./doctor-check.js";
import { examineDispatch } from "./doctor-dispatch.js";
import { examineInbound } from "./doctor-inbound.js";
import { checkDoctorOptions, type DoctorOptions } from "./doctor-options.js";
import { examineProbe } from "./doctor-probe.js";
import { examineTools } from "./doctor-tools.js";

/** The result of examining an endpoint. */
export interface DoctorReport {
  /** False if one check failed. */
  readonly ok: boolean;
  readonly checks: readonly DoctorCheck[];
}

/**
 * Examines a running endpoint as the platform would use it: auth, ping, envelope, one dispatch, the tools it declares. Only the
 * endpoint is contacted, and the proxy of `probeUrl` if one is given. Throws a `DoctorOptionError` for invalid options, never for
 * what the endpoint does.
 */
export async function runDoctor(given: DoctorOptions): Promise<DoctorReport> {
  const options = checkDoctorOptions(given);
  const tools = await examineTools(options.tools);
  const inbound = await examineInbound(options);
  const { obstacle } = inbound;
  const dispatch =
    obstacle === null
      ? await examineDispatch(options, tools.declared)
      : (["dispatch", "response", "tool_calls"] as const).map((id) => checked(id, skipped(obstacle)));
  const checks = [...inbound.checks, ...dispatch, ...tools.checks, await examineProbe(options.probeUrl)];
  return { ok: checks.every(({ status }) => status !== "fail"), checks };
}
