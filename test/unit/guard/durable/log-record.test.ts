import { describe, expect, it } from "vitest";
import { canonicalJson, contentHash } from "../../../../src/base/canonical-json.js";
import { decodeRecord, encodeRecord } from "../../../../src/guard/durable/log-record.js";
import { fc } from "../../../support/fast-check.js";

const FRAME = { v: 1, n: 7, at: 1_794_989_570_282, guard: "operator", artifact: "sha256-aa", prev: "sha256-bb" };

describe("the text of a record", () => {
  it("is canonical, and its hash is that of all its other members, whatever they hold", () => {
    const content = fc.record({ event: fc.jsonValue(), note: fc.jsonValue() }, { requiredKeys: [] });
    const sealed = fc.record({ sealed: fc.string({ unit: "binary" }) });
    const state = fc.option(fc.string(), { nil: undefined });
    fc.assert(
      fc.property(fc.oneof(content, sealed), state, (given, snapshot) => {
        const frame = snapshot === undefined ? FRAME : { ...FRAME, state: snapshot };
        const { text, hash } = encodeRecord(frame, given);
        const { hash: written, ...body } = JSON.parse(text);
        expect(body).toEqual(JSON.parse(JSON.stringify({ ...frame, ...given })));
        expect(text).toBe(canonicalJson({ ...body, hash }));
        expect([written, hash]).toEqual([hash, contentHash(canonicalJson(body))]);
      }),
    );
  });

  it("is read as it was written", () => {
    const event = { kind: "label_added", label: "hot" } as const;
    const note = { operator: { by: "ann", why: "because" } };
    const { text, hash } = encodeRecord({ ...FRAME, state: "sha256-cc" }, { event, note });
    expect(decodeRecord(text)).toEqual({ ...FRAME, state: "sha256-cc", content: { event, note }, hash });
    expect(decodeRecord(encodeRecord(FRAME, { sealed: "x" }).text).content).toEqual({ sealed: "x" });
  });
});
