import { expect, it } from "vitest";
import { renderPage } from "../../src/report/page/page.js";
import { artifactOf } from "../support/guard-artifact.js";
import { bareContent } from "./content.js";
import { textOf } from "./page-text.js";

const PACK = `#== session.yaml (with the required fields)
schema_version: "1.1"
#== get.yaml (with the required fields)
binds:
  - { name: offer, source: output, path: "$[*]", key: [{ source: arguments, path: $.date }, "@.number"] }
  - { name: seen, path: $.id, collect: union }
  - { name: last, path: $.text, decode: json }
#== put.yaml (with the required fields)
binds: [{ name: offer, path: "$.offers[*]", key: [$.date, "@.number"] }]
unbinds: [{ name: offer, key: $.date }, { name: seen }]
`;

it("says what a tool remembers under which keys, what it forgets, and what its arguments need for that", () => {
  const text = textOf(renderPage(bareContent(artifactOf(PACK)))).replace(/\s+/g, " ");
  for (const words of [
    "$[*] of its result as offer for each $.date of its arguments, its own @.number",
    "$.id of its arguments among seen",
    "$.text of its arguments, decoded, as last",
    "Forgets",
    "offer for each $.date of its arguments",
    "remembered values by key",
    "set of remembered values",
    "The argument $.date must be a text, a number, true or false: something is remembered under it",
    "Each value of the argument $.offers[*] must have @.number, because it is remembered under that key",
    "The argument $.text must be JSON, because other rules rely on it",
  ])
    expect(text).toContain(words);
});
