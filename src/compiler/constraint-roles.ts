import type { Envelope } from "../language/schema/session.js";

/** The roles that set the reference of each constraint; `constrained` stages are checked against them. */
export const CONSTRAINT_ROLES: Readonly<Record<Envelope["constraint"], readonly Envelope["stages"][number]["role"][]>> =
  {
    lte_ceiling: ["ceiling"],
    gte_floor: ["floor"],
    within_band: ["anchor"],
    bounded: ["floor", "ceiling"],
    monotonic_decrease: ["initial"],
    monotonic_increase: ["initial"],
  };
