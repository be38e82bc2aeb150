import { compile } from "../../../dist/compiler/compile.js";
import { prepareExpression } from "../../../dist/guard/expression/evaluate.js";
import { judgeWorlds } from "../../../dist/guard/expression/worlds/judge-worlds.js";

const many = (count) => Array.from({ length: count }, (_, at) => at);

/** Expressions that cost much, on arguments that are as large as a guard takes. */
const EXPRESSIONS = [
  "args.text.contains('b')",
  "args.text + 'a' < args.text + 'b'",
  "args.text.split('a').size() > 1",
  "args.text.split('').size() > 1",
  "args.text.matches('(a+)+b$')",
  "args.list.distinct() == args.list",
  "args.list.sum() == 1",
  "args.list + args.list == args.list + args.list",
  "args.list.all(x, args.list.all(y, args.list.all(z, x + y + z >= 0)))",
  "math.least(args.list) == 1",
  "args.objects.distinct() == args.objects",
  "args.objects.all(x, x in args.objects)",
  "args.objects.all(x, args.objects == args.objects.map(y, y))",
  "args.list.all(x, size(args.wide) > 1)",
  "args.list.all(x, args.wide.exists(k, k != ''))",
  "args.list.all(x, args.wide == args.same)",
  "args.texts.map(x, x.split('')).size() > 1",
  "args.texts.distinct() == args.texts",
  "args.numbers.all(x, double(x) * double(x) > 0)",
  "args.zones.all(z, now.getHours(z) >= 0)",
];

function argumentsOf() {
  const wide = () => Object.fromEntries(many(65_000).map((at) => [`key ${(at * 7919) % 65_000}`, at]));
  return {
    text: "a".repeat(16_000_000),
    list: many(1_000_000),
    objects: many(60_000).map((at) => ({ id: `x${at}`, inner: { list: [at] } })),
    wide: wide(),
    same: wide(),
    texts: many(200_000).map((at) => `${"😀".repeat(30)}${at}`),
    numbers: many(5000).map((at) => `1${"2345678901234567".repeat(2)}e${(at % 300) - 150}`),
    zones: many(5000).map((at) => Intl.supportedValuesOf("timeZone")[at % 400]),
  };
}

const SESSION = 'schema_version: "1.1"\nagent: bench\n';
const REQUIRED = `tool: t
side_effect: read
evidence_class: local_transaction
commit_requirement: acknowledged
timeouts: { total_ms: 1000 }
retries: { max_attempts: 1, retry_on: [] }
rate_limits: { on_429: { respect_retry_after: true, max_sleep_seconds: 1 } }
assertions: { input_invariants: [], output_invariants: [] }
golden_cases: []
allowed_errors: []
`;

function compiled(text) {
  const files = new Map([
    ["session.yaml", SESSION],
    ["t.yaml", `${REQUIRED}requires:\n  - that: |\n      ${text}\n    reason: r\n`],
  ]);
  const { artifact } = compile({
    list: (folder) => (folder === "" || folder === "." ? [...files.keys()] : null),
    read: (name) => ({ kind: "bytes", bytes: new TextEncoder().encode(files.get(name)) }),
  });
  const check = artifact?.packs[0].tools[0].checks.find(({ kind }) => kind === "requires");
  if (check === undefined) throw new Error(`the expression ${text} does not compile`);
  return check.that;
}

/** A judgement of each of them. */
export function hostileJudgements() {
  const args = argumentsOf();
  const session = { open: null, slots: new Map(), collections: new Map() };
  const surroundings = { args, principal: null, labels: [], tool: "t", now: 0, output: null };
  return EXPRESSIONS.map((text) => {
    const prepared = prepareExpression(compiled(text), { constants: {}, timezone: null, slots: new Map() });
    return { name: text, judge: () => judgeWorlds(prepared, session, surroundings) };
  });
}
