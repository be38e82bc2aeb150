import { describe, expect, it } from "vitest";
import { guessSideEffect } from "../../src/init/guess-side-effect.js";

describe("the side effect of a tool", () => {
  it.each([
    ["get_order", "read"],
    ["getRefund", "read"],
    ["list-users", "read"],
    ["issue_refund", "financial"],
    ["transferFunds", "financial"],
    ["delete_record", "destructive"],
    ["cancel_order", "destructive"],
    ["grant_role", "admin"],
    ["execute_sql", "admin"],
    ["send_mail", "write"],
    ["frobnicate", "write"],
    ["gettysburg", "write"],
    ["refund_and_delete", "financial"],
    ["get_and_delete", "destructive"],
    ["search_and_list", "read"],
  ])("is guessed from the name: %s, %s", (name, sideEffect) => {
    expect(guessSideEffect(name, {}).sideEffect).toBe(sideEffect);
  });

  it.each([
    ["get_order", { destructiveHint: true }, "destructive"],
    ["get_order", { readOnlyHint: false }, "write"],
    ["frobnicate", { destructiveHint: true }, "destructive"],
    ["open_nodes", { readOnlyHint: true }, "write"],
    ["delete_record", { readOnlyHint: true }, "destructive"],
    ["issue_refund", { destructiveHint: true }, "financial"],
  ] as const)("is never lower than the name or an annotation says: %s %o", (name, annotations, sideEffect) => {
    expect(guessSideEffect(name, annotations).sideEffect).toBe(sideEffect);
  });

  it("says what it was guessed from", () => {
    expect(guessSideEffect("get_order", {}).from).toBe('the word "get" of its name');
    expect(guessSideEffect("get_order", { destructiveHint: true }).from).toBe("its annotation destructiveHint");
    expect(guessSideEffect("get_order", { readOnlyHint: true }).from).toBe(
      'the word "get" of its name, and its annotation readOnlyHint',
    );
  });
});
