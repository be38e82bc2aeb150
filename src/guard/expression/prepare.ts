import type { Expression } from "../../artifact/expression.js";
import { unreachable } from "../../base/invariant.js";
import type { Part } from "./frame.js";
import { call } from "./functions/call.js";
import { binary } from "./parts/binary.js";
import { list, literal, map, matches, minus, number } from "./parts/literals.js";
import { choice, logic, not } from "./parts/logic.js";
import { macro } from "./parts/macro.js";
import { constant, has, hasSlot, index, local, member, slot, variable } from "./parts/reading.js";
import type { Scope } from "./parts/scope.js";

/** Turns a part of an expression into a closure, once for all calls. */
export function preparePart(node: Expression, scope: Scope): Part {
  switch (node.kind) {
    case "literal":
      return literal(node);
    case "number":
      return number(node);
    case "variable":
      return variable(node);
    case "slot":
      return slot(node, scope);
    case "constant":
      return constant(node, scope);
    case "local":
      return local(node, scope);
    case "member":
      return member(node, scope, preparePart);
    case "index":
      return index(node, scope, preparePart);
    case "has":
      return has(node, scope, preparePart);
    case "has_slot":
      return hasSlot(node);
    case "not":
      return not(node, scope, preparePart);
    case "minus":
      return minus(node, scope, preparePart);
    case "and":
    case "or":
      return logic(node, scope, preparePart);
    case "binary":
      return binary(node, scope, preparePart);
    case "choice":
      return choice(node, scope, preparePart);
    case "list":
      return list(node, scope, preparePart);
    case "map":
      return map(node, scope, preparePart);
    case "macro":
      return macro(node, scope, preparePart);
    case "call":
      return call(node, scope, preparePart);
    case "matches":
      return matches(node, scope, preparePart);
    default:
      return unreachable(node);
  }
}
