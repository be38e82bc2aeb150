import { type AST, visitRegExpAST } from "@eslint-community/regexpp";
import { type UnsupportedConstruct, unsupported } from "./regex-problem.js";

/** The table of a property takes milliseconds to build, so a pattern with many of them would be slow to run. */
const MAX_PROPERTIES = 100;

/** The first construct of a well-formed pattern that no linear engine can run, or that Node 20 does not know. */
export function findUnsupported(pattern: AST.Pattern): UnsupportedConstruct | undefined {
  const found: UnsupportedConstruct[] = [];
  const names = new Set<string>();
  let properties = 0;
  visitRegExpAST(pattern, {
    onAssertionEnter(node) {
      if (node.kind !== "lookahead" && node.kind !== "lookbehind") return;
      found.push(unsupported(node.negate ? `negative ${node.kind}` : node.kind, node));
    },
    onBackreferenceEnter(node) {
      found.push(unsupported("backreference", node));
    },
    onModifiersEnter(node) {
      found.push(unsupported(describeModifiers(node), node));
    },
    onCapturingGroupEnter(node) {
      if (node.name === null) return;
      if (names.has(node.name)) found.push(unsupported("duplicate group name", node));
      names.add(node.name);
    },
    onCharacterSetEnter(node) {
      if (node.kind !== "property") return;
      properties++;
      if (properties > MAX_PROPERTIES) found.push(unsupported(`more than ${MAX_PROPERTIES} unicode properties`, node));
      else if (!isKnownProperty(node)) found.push(unsupported("unicode property newer than this Node.js", node));
    },
  });
  return found.toSorted((a, b) => a.offset - b.offset)[0];
}

function describeModifiers({ add, remove }: AST.Modifiers): string {
  if (remove !== null) return "group that switches flags off";
  if (add.ignoreCase) return "case-insensitive group";
  if (add.multiline) return "multiline group";
  return "dot-all group";
}

/** The parser's list of properties may be newer than the tables of the engine that runs the pattern. */
function isKnownProperty(node: AST.CharacterSet): boolean {
  try {
    return new RegExp(node.raw, "u").unicode;
  } catch (cause) {
    if (cause instanceof SyntaxError) return false;
    throw cause;
  }
}
