import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import { exampleArtifact } from "../report/content.js";

describe("createGuard on an artifact with a workflow", () => {
  it("asks for openWorkflow: a session alone would not be kept to what all of them may do", async () => {
    const made = createGuard(exampleArtifact("code-review"), { env: {} });
    await expect(made).rejects.toThrow(TypeError);
    for (const what of ["openWorkflow", "contract-guard/workflow", "start", "handoff"]) {
      await expect(made).rejects.toThrow(what);
    }
  });

  it("makes guards of other artifacts", async () => {
    await expect(createGuard(exampleArtifact("minimal"), { env: {} })).resolves.toBeDefined();
  });
});
