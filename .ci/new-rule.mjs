/** `npm run new:rule CODE [-- --folder graph]`: makes the files of a new diagnostic rule, and adds it to the list. */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

const RULES = "src/compiler/rules";
const FOLDERS = readdirSync(RULES).filter((name) => !name.includes(".") && name !== "problems");

function fail(message) {
  console.error(message);
  process.exit(2);
}

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
if (!/^[a-z][a-z0-9]*(?:_[a-z0-9]+)*$/.test(code) || rest.length > 0)
  fail("usage: npm run new:rule CODE [-- --folder FOLDER]; CODE is in snake_case, such as `dead_tool`");
if (!FOLDERS.includes(folder)) fail(`--folder takes ${FOLDERS.join(", ")}, not ${folder}`);

const name = code.replace(/_([a-z0-9])/g, (_, letter) => letter.toUpperCase());
const file = code.replaceAll("_", "-");
const fixtures = join("test/rules", file);
if (existsSync(fixtures)) fail(`there is a rule \`${code}\` already: ${fixtures}`);

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
  stage: "${folder === "graph" ? "graph" : "resolve"}",
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
for (const [path, text] of Object.entries(files)) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const list = join(RULES, "index.ts");
const text = readFileSync(list, "utf8");
const end = folder === "graph" ? "];\n\n/** Every rule" : "  ...ANALYSIS_RULES,";
writeFileSync(
  list,
  `import { ${name} } from "./${folder}/${file}.js";\n${text.replace(end, (found) => `  ${name},\n${found}`)}`,
);

console.log(`${[...Object.keys(files), list].join("\n")}

Write the rule and its two fixtures, then:
  npm run format
  UPDATE=1 npx vitest run --config .ci/vitest.config.ts test/rules.test.ts test/docs    # writes invalid.out and docs/diagnostics.md
and read what was written: it is what people will see.`);
