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
    ["get_or_create_customer", "write"],
    ["findAndModify", "write"],
    ["search_and_replace", "write"],
    ["read_write_file", "write"],
    ["get_then_set", "write"],
    ["check_out_cart", "write"],
    ["check_in_guest", "write"],
    ["checkOut", "write"],
    ["get_terms_and_conditions", "write"],
    ["get_set_of_books", "read"],
    ["check_in_stock_items", "write"],
    ["list_posts", "read"],
    ["get_read_write_ratio", "read"],
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
