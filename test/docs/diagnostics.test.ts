import { describe, it } from "vitest";
import { diagnosticsDocument } from "../support/diagnostics-document.js";
import { expectGolden } from "../support/golden.js";

describe("docs/diagnostics.md", () => {
  it("says what the rules and their fixtures say", () => {
    expectGolden(new URL("../../docs/diagnostics.md", import.meta.url).pathname, diagnosticsDocument());
  });
});
