import { describe, expect, it } from "vitest";
import { explored } from "./explored.js";

const PACK = `#== session.yaml (with the required fields)
schema_version: "1.1"
#== look_up.yaml (with the required fields)
binds:
  - { name: booking, source: output, path: $, key: $.id }
#== cancel.yaml (with the required fields)
requires:
  - that: |
      slots.booking[args.id].user == principal.customer
    reason: Customers act on their own bookings only
  - that: |
      "cancel" in principal.rights
    reason: The customer has the right
`;

describe("expressions about the principal", () => {
  it("are tried with a principal whom they accept", { timeout: 60_000 }, () => {
    const { isAllowed, seen } = explored(PACK);
    expect([isAllowed("cancel"), seen("requires")]).toEqual([true, "2 of 2"]);
  });
});
