import { describe, expect, it } from "vitest";
import { artifactOf } from "../../support/guard-artifact.js";

const TOOL = "#== look.yaml (with the required fields)\n";

function sessionOf(version: string, folder = ""): string {
  return `#== ${folder}session.yaml (with the required fields)\nschema_version: "${version}"\n`;
}

describe("the language version of an artifact", () => {
  it("is that of session.yaml, and 1.0 without one", () => {
    expect(artifactOf(TOOL).language).toBe("1.0");
    expect(artifactOf(sessionOf("1.0") + TOOL).language).toBe("1.0");
    expect(artifactOf(sessionOf("1.1") + TOOL).language).toBe("1.1");
  });

  it("is the latest of all packs of a workflow", () => {
    const workflow = `#== workflow.yaml (with the required fields)
roles:
  - { name: a, session_contract: a/session.yaml }
  - { name: b, session_contract: b/session.yaml }
`;
    const packs = sessionOf("1.0", "a/") + sessionOf("1.1", "b/");
    expect(artifactOf(workflow + packs).language).toBe("1.1");
  });

  it("is all that the version changes for a pack that uses nothing of it", () => {
    const [old, current] = ["1.0", "1.1"].map((version) => artifactOf(sessionOf(version) + TOOL));
    expect({ ...current, hash: "", language: "" }).toEqual({ ...old, hash: "", language: "" });
  });
});
