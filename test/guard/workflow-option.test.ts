import { describe, expect, it } from "vitest";
import { createGuard } from "../../src/guard/guard.js";
import { exampleArtifact } from "../report/content.js";
import { foreign } from "../support/faulty-store.js";

const artifact = exampleArtifact("code-review");

describe("a guard on an artifact with a workflow", () => {
  it.each([{}, { role: "worker" }])("does not start as if the workflow were enforced: %j", async (options) => {
    const made = createGuard(artifact, { env: {}, ...options });
    await expect(made).rejects.toThrow(TypeError);
    for (const what of ["handoffs", "workflow limits", "shared resources", "kill scopes", "close policies"]) {
      await expect(made).rejects.toThrow(what);
    }
    await expect(made).rejects.toThrow('workflow: "unenforced"');
  });

  it("starts where its maker says to know that nothing enforces it", async () => {
    const guard = await createGuard(artifact, { env: {}, role: "worker", workflow: "unenforced" });
    expect(guard.visibleTools().visible).toContain("read_file");
  });

  it.each(['"enforced"', "true", "null"])("takes no other word: %s", async (given) => {
    const made = createGuard(artifact, { env: {}, role: "worker", workflow: foreign(given) });
    await expect(made).rejects.toThrow("`workflow` must be");
  });

  it("says nothing of other artifacts", async () => {
    await expect(createGuard(exampleArtifact("minimal"), { env: {}, workflow: "unenforced" })).resolves.toBeDefined();
  });
});
