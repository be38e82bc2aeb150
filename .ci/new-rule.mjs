/** `npm run new:rule CODE [-- --folder graph]`: makes the files of a new diagnostic rule, and adds it to the list. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

const RULES = "src/compiler/rules";
const LIST = join(RULES, "index.ts");

function fail(message) {
  console.error(message);
  process.exit(2);
}

if (!existsSync(LIST)) fail(`there is no ${LIST} here: run this in the root of the repository`);

/** What reading finds has one table for each kind of file, not a file for each rule. */
const FOLDERS = readdirSync(RULES).filter((name) => !name.includes(".") && name !== "problems");

/** The rules about a pack, or a workflow, as a whole. */
const ANALYSIS = ["graph", "workflow"];

function argumentsOf() {
  try {
    return parseArgs({ allowPositionals: true, options: { folder: { type: "string", default: "graph" } } });
  } catch (cause) {
    return fail(cause.message);
  }
}

const {
  positionals,
  values: { folder },
} = argumentsOf();
const [code = "", ...rest] = positionals;
// One word could be a keyword of TypeScript.
if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)+$/.test(code) || rest.length > 0)
  fail(
    "usage: npm run new:rule CODE [-- --folder FOLDER]; CODE is two or more words in snake_case, such as `dead_tool`",
  );
if (!FOLDERS.includes(folder)) fail(`--folder takes ${FOLDERS.join(", ")}, not ${folder}`);

const name = code.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const file = code.replaceAll("_", "-");
const fixtures = join("test/rules", file);
if (existsSync(fixtures)) fail(`there is a rule \`${code}\` already: ${fixtures}`);

/** The list with the new rule as the last of its kind; `npm run format` sorts the import in. */
function listWithRule() {
  const text = readFileSync(LIST, "utf8");
  const analysis = text.indexOf("export const ANALYSIS_RULES");
  const end = ANALYSIS.includes(folder) ? text.indexOf("];", analysis) : text.indexOf("  ...ANALYSIS_RULES,", analysis);
  if (analysis < 0 || end < 0) fail(`${LIST} has no list ANALYSIS_RULES that RULES takes up: add the rule by hand`);
  return `import { ${name} } from "./${folder}/${file}.js";\n${text.slice(0, end)}  ${name},\n${text.slice(end)}`;
}

const files = {
  [join(RULES, folder, `${file}.ts`)]: `import { quoted } from "../../../diagnostics/wording.js";
import { valueSpan } from "../../../language/located.js";
import { defineRule } from "../../rule.js";

interface Params {
  readonly tool: string;
}

/** Say here why this matters, in one sentence. */
export const ${name} = defineRule<Params>({
  code: "${code}",
  stage: "${ANALYSIS.includes(folder) ? "graph" : "resolve"}",
  severity: "warning",
  what: "Say what the rule finds.",
  why: "Say why that matters.",
  fix: "Say what to do about it.",
  message: ({ tool }) => \`tool \${quoted(tool)} …\`,
  help: () => "say what to write instead",
  check(context, report) {
    for (const { name, contract } of context.tools) {
      report(valueSpan(contract, "tool"), { tool: name }, name);
    }
  },
});
`,
  [join(fixtures, "invalid.yaml")]: "#== get_order.yaml (with the required fields)\ntool: get_order\n",
  [join(fixtures, "valid.yaml")]: "#== get_order.yaml (with the required fields)\ntool: get_order\n",
};
files[LIST] = listWithRule();
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

console.log(`${Object.keys(files).join("\n")}

Write the rule and its two fixtures, then:
  npm run format
  UPDATE=1 npx vitest run --config .ci/vitest.config.ts test/rules.test.ts    # writes invalid.out
  UPDATE=1 npx vitest run --config .ci/vitest.config.ts test/docs             # writes docs/diagnostics.md, which shows it
and read what was written: it is what people will see.`);
