import { describe, expect, it } from "vitest";
import { DEFAULT_BOUNDS } from "../../src/analysis/default-bounds.js";
import { diffPacks } from "../../src/analysis/diff/diff-packs.js";
import { verify } from "../../src/analysis/verify.js";
import { createGuard } from "../../src/guard/guard.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { artifactOf } from "../support/guard-artifact.js";

function packOf(constraints: string, format = "{ content_when_tool_calls: allowed }"): string {
  return `
#== session.yaml (with the required fields)
provider_constraints: ${constraints}
#== pay.yaml (with the required fields)
response_format_invariants: ${format}
#== look.yaml (with the required fields)
`;
}

async function resultsOf(pack: string) {
  const [found] = await verify(artifactOf(pack), []);
  return found?.rules.filter(({ rule }) => /^(?:provider|floating|response)/.test(rule)) ?? [];
}

describe("verifying rules on requests and responses", () => {
  it("shows each by a body that the guard judges", async () => {
    const pack = packOf(
      `{ anthropic: { block_incompatible: ["tool_choice.type=any + thinking"] }, openai: { warn_incompatible: ["parallel_tool_calls=false + gpt-4o-mini"], warn_floating_alias: true } }`,
      "{ finish_reason: stop, content_when_tool_calls: empty, tool_calls_present: true }",
    );
    const results = await resultsOf(pack);
    expect(results.map(({ rule, status, shown }) => [rule, status, shown?.said])).toEqual([
      ["provider_block@session.yaml:1", "fires", "provider_incompatible"],
      ["provider_warn@session.yaml:1", "fires", "provider_warning"],
      ["floating_alias@session.yaml:1", "fires", "floating_alias"],
      ["response_format@pay.yaml:1", "fires", "response_format_violated"],
      ["response_format@pay.yaml:1#2", "fires", "response_format_violated"],
      ["response_format@pay.yaml:1#3", "fires", "response_format_violated"],
    ]);
    const guard = await createGuard(artifactOf(pack), { env: {} });
    const [blocked] = results;
    if (blocked?.shown === undefined) throw new Error("nothing is shown");
    const { provider, request } = blocked.shown;
    expect(request).toEqual({ tool_choice: { type: "any" }, thinking: true });
    expect(guard.checkRequest({ provider, request }).kind).toBe("block");
  });

  it("does not call a pattern that a wider one covers alone, nor one that contradicts itself shown", async () => {
    const results = await resultsOf(packOf(`{ openai: { block_incompatible: ["stream + n=2", "n=2", "n=3 + n=4"] } }`));
    expect(results.map(({ status, others }) => [status, others])).toEqual([
      ["never_alone", ["provider_block@session.yaml:1#2"]],
      ["fires", []],
      ["not_shown", []],
    ]);
  });

  it("names models by texts, as a request must", async () => {
    const patterns = ["model=4 + stream", "model + top_p=1", "model=true", "model.version=1"];
    const results = await resultsOf(packOf(`{ openai: { warn_incompatible: ${JSON.stringify(patterns)} } }`));
    expect(results.map(({ status, shown }) => [status, shown?.request])).toEqual([
      ["fires", { model: "4", stream: true }],
      ["fires", { top_p: 1, model: "some-model" }],
      ["fires", { model: "true" }],
      ["not_shown", undefined],
    ]);
  });

  it("lists no rule for what demands nothing", async () => {
    expect(await resultsOf(packOf("{}", "{ content_when_tool_calls: allowed, tool_calls_present: false }"))).toEqual(
      [],
    );
  });
});

/** Old and new constraints or formats, and what the change is said to be. */
const CHANGES: readonly (readonly [name: string, before: string, after: string, kinds: readonly string[]])[] = [
  ["a block that is gone", packOf(`{ openai: { block_incompatible: ["n=2"] } }`), packOf("{}"), ["removed"]],
  ["a block that is new", packOf("{}"), packOf(`{ openai: { block_incompatible: ["n=2"] } }`), ["added"]],
  [
    "a block that became a warning",
    packOf(`{ openai: { block_incompatible: ["n=2"] } }`),
    packOf(`{ openai: { warn_incompatible: ["n=2"] } }`),
    ["removed", "added"],
  ],
  [
    "a block with one more term",
    packOf(`{ openai: { block_incompatible: ["n=2"] } }`),
    packOf(`{ openai: { block_incompatible: ["n=2 + stream"] } }`),
    ["loosened"],
  ],
  [
    "a block with one term less",
    packOf(`{ openai: { block_incompatible: ["n=2 + stream"] } }`),
    packOf(`{ openai: { block_incompatible: ["stream"] } }`),
    ["tightened"],
  ],
  [
    "a block with another value",
    packOf(`{ openai: { block_incompatible: ["n=2"] } }`),
    packOf(`{ openai: { block_incompatible: ["n=3"] } }`),
    ["changed"],
  ],
  [
    "text beside calls that is allowed now",
    packOf("{}", "{ content_when_tool_calls: empty, tool_calls_present: true }"),
    packOf("{}", "{ content_when_tool_calls: allowed, tool_calls_present: true }"),
    ["removed"],
  ],
  [
    "another finish reason",
    packOf("{}", "{ finish_reason: stop }"),
    packOf("{}", "{ finish_reason: length }"),
    ["changed"],
  ],
  ["a warning that is gone", packOf("{ openai: { warn_floating_alias: true } }"), packOf("{}"), ["removed"]],
];

describe("a change of rules on requests and responses", () => {
  it.each(CHANGES)("reports %s as a rule", async (_, before, after, kinds) => {
    const options = { bounds: DEFAULT_BOUNDS, wording: sentenceOf };
    const [difference] = await diffPacks(artifactOf(before), artifactOf(after), options);
    expect(difference?.changes.map(({ kind, what }) => [kind, what])).toEqual(kinds.map((kind) => [kind, "rule"]));
    expect(difference?.divergences).toEqual([]);
  });
});
