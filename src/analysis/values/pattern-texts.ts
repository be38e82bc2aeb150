import { type AST, RegExpParser } from "@eslint-community/regexpp";
import type { CompiledPattern } from "../../artifact/compiled-value.js";
import { matchPattern } from "../../guard/values/match-pattern.js";
import { cut, first, isBeyond, most } from "../model/caps.js";

/** How a text is drawn from a pattern: which alternatives are taken, and how many repetitions beyond the least. */
interface Draw {
  choice: number;
  spare: number;
  /** Characters that may still be written; patterns can require huge texts. */
  left: number;
}

const SPARES: readonly number[] = [0, 1, 2, 5];

/** Characters to try for a character class, plain ones first. */
const CHARACTERS: readonly string[] = [..."a1A0bBzZ9_-. /:@x~!#é\n\u0416中²€\u{1f600}\u0000\u{10ffff}"];

function pick<T>(items: readonly T[], draw: Draw): T | undefined {
  if (items.length === 0) return undefined;
  const item = items[draw.choice % items.length];
  draw.choice = Math.floor(draw.choice / items.length);
  return item;
}

/** Characters that a class names itself. */
function namedCharacters({ elements }: AST.CharacterClass): readonly string[] {
  return first(elements, "pattern_class").flatMap((element): readonly string[] => {
    if (element.type === "Character") return [String.fromCodePoint(element.value)];
    if (element.type !== "CharacterClassRange") return [];
    return [String.fromCodePoint(element.min.value), String.fromCodePoint(element.max.value)];
  });
}

const knownCharacters = new WeakMap<AST.Node, readonly string[]>();

function fittingCharacters(node: AST.CharacterSet | AST.CharacterClass): readonly string[] {
  const known = knownCharacters.get(node);
  if (known !== undefined) return known;
  const named = node.type === "CharacterClass" && !node.negate ? namedCharacters(node) : [];
  const whole = new RegExp(`^(?:${node.raw})$`, "u");
  const fitting = first(
    [...named, ...CHARACTERS].filter((character) => whole.test(character)),
    "pattern_characters",
  );
  knownCharacters.set(node, fitting);
  return fitting;
}

function repeated(node: AST.Quantifier, draw: Draw, depth: number): string {
  const added = Math.min(node.max - node.min, draw.spare);
  draw.spare -= added;
  let text = "";
  for (let times = 0; times < node.min + added && draw.left > 0; times++) text += textOf(node.element, draw, depth);
  return text;
}

function groupText(alternatives: readonly AST.Alternative[], draw: Draw, depth: number): string {
  const elements = pick(alternatives, draw)?.elements ?? [];
  return elements.map((element) => textOf(element, draw, depth + 1)).join("");
}

function textOf(node: AST.Element, draw: Draw, depth: number): string {
  draw.left -= 1;
  if (draw.left < 0) cut("pattern_length");
  if (draw.left < 0 || isBeyond(depth, "pattern_nesting")) return "";
  switch (node.type) {
    case "Character":
      return String.fromCodePoint(node.value);
    case "CharacterSet":
    case "CharacterClass":
      return pick(fittingCharacters(node), draw) ?? "";
    case "Group":
    case "CapturingGroup":
      return groupText(node.alternatives, draw, depth);
    case "Quantifier":
      return repeated(node, draw, depth);
    default:
      // Assertions take no characters; the guard decides whether they hold.
      return "";
  }
}

const parsed = new WeakMap<CompiledPattern, AST.Pattern | null>();

function astOf(pattern: CompiledPattern): AST.Pattern | null {
  const known = parsed.get(pattern);
  if (known !== undefined) return known;
  const ast = parse(pattern);
  parsed.set(pattern, ast);
  return ast;
}

function parse({ source }: CompiledPattern): AST.Pattern | null {
  try {
    return new RegExpParser({ ecmaVersion: 2024 }).parsePattern(source, 0, source.length, { unicode: true });
  } catch (cause) {
    if (cause instanceof Error) return null;
    throw cause;
  }
}

function drawTexts(compiled: CompiledPattern, lengths: readonly number[]): readonly string[] {
  const pattern = astOf(compiled);
  if (pattern === null) return [];
  const draw = (choice: number, spare: number) =>
    groupText(pattern.alternatives, { choice, spare, left: most("pattern_length") }, 0);
  const plain = Array.from({ length: most("pattern_choices") }, (_, choice) =>
    SPARES.map((spare) => draw(choice, spare)),
  ).flat();
  const shortest = [...(plain[0] ?? "")].length;
  const long = lengths.map((length) => draw(0, Math.max(0, length - shortest)));
  return [...new Set([...plain, ...long])];
}

/** Whether a text matches, by the guard's own engine; null if it cannot be judged. */
function judge(pattern: CompiledPattern, text: string): boolean | null {
  try {
    return matchPattern(pattern, text);
  } catch (cause) {
    if (cause instanceof Error) return null;
    throw cause;
  }
}

/** Texts that match a pattern, plainest first; some with the requested lengths, if the pattern allows them. */
export function matchingTexts(pattern: CompiledPattern, lengths: readonly number[] = []): readonly string[] {
  const texts = drawTexts(pattern, lengths);
  return first(
    texts.filter((text) => judge(pattern, text) === true),
    "pattern_texts",
  );
}

/** Texts that are close to a pattern but do not match it; none if everything matches. */
export function otherTexts(pattern: CompiledPattern): readonly string[] {
  const near = first(drawTexts(pattern, []), "pattern_near");
  const changed = near.flatMap((text) => [
    `${text}~`,
    `~${text}`,
    text.slice(0, -1),
    text.slice(1),
    text.toUpperCase(),
    text.toLowerCase(),
    `${text}${text}`,
  ]);
  const texts = [...new Set([...changed, "other", "", "0", " ", "~", "a", "A"])];
  return first(
    texts.filter((text) => judge(pattern, text) === false),
    "pattern_texts",
  );
}
