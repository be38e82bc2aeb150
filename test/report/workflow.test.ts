import { describe, expect, it } from "vitest";
import { diffArtifacts } from "../../src/analysis/diff/diff-packs.js";
import type { Artifact } from "../../src/artifact/compiled.js";
import { renderDot } from "../../src/report/dot.js";
import { layoutWorkflow } from "../../src/report/layout.js";
import { renderMermaid } from "../../src/report/mermaid.js";
import { reportModel } from "../../src/report/model.js";
import { renderPage } from "../../src/report/page/page.js";
import { sentenceOf } from "../../src/report/sentences.js";
import { renderSvg } from "../../src/report/svg.js";
import { artifactOf } from "../support/guard-artifact.js";
import { bareContent } from "./content.js";
import { HOSTILE } from "./hostile-names.js";
import { sectionOf, textOf, verdictOf } from "./page-text.js";

const PACK = `
#== workflow.yaml (with the required fields)
workflow: delivery
roles:
  - { name: planner, session_contract: packs/planner/session.yaml }
  - { name: worker, session_contract: packs/worker/session.yaml }
  - { name: helper, session_contract: packs/worker/session.yaml }
  - { name: auditor, session_contract: packs/auditor/session.yaml }
handoffs:
  - { from: planner, to: worker, requires_artifacts: [task, files], parent_close_policy: abandon }
  - { from: worker, to: helper }
  - { from: helper, to: helper, parent_close_policy: terminate }
workflow_limits: { max_sessions: 12000, max_total_steps: 90, max_total_cost: 2.5 }
shared_resources:
  - { alias: file, mode: single_writer }
  - { alias: branch, mode: exclusive_pending }
cancellation: { workflow_kill: operator_only }
#== packs/planner/session.yaml (with the required fields)
agent: planning
#== packs/planner/plan_work.yaml (with the required fields)
#== packs/worker/session.yaml (with the required fields)
agent: working
resources:
  file: { type: file, extract_from: { path: $.path } }
  branch: { type: branch, extract_from: { path: $.branch } }
#== packs/worker/read_file.yaml (with the required fields)
#== packs/worker/write_file.yaml (with the required fields)
side_effect: write
#== packs/worker/drop_file.yaml (with the required fields)
side_effect: destructive
gate: block
#== packs/worker/tools.json
[{ "name": "read_file", "input_schema": { "type": "object", "properties": { "path": { "type": "string" } }, "additionalProperties": false } },
 { "name": "write_file", "input_schema": { "type": "object", "properties": { "path": { "type": "string" }, "branch": { "type": "string" } }, "additionalProperties": false } },
 { "name": "drop_file", "input_schema": { "type": "object" } }]
#== packs/auditor/session.yaml (with the required fields)
agent: auditing
resources:
  file: { type: file, extract_from: { path: $.file.path } }
#== packs/auditor/look_at.yaml (with the required fields)
`;

const artifact = artifactOf(PACK);
const model = reportModel(artifact);

function sectionText(page: string, id: string): string {
  return textOf(sectionOf(page, id));
}

describe("the model of a workflow", () => {
  it("has each role with its pack, and whether it starts on its own", () => {
    expect(model.workflow?.roles.map(({ name, pack, tools, isRoot }) => [name, pack, tools, isRoot])).toEqual([
      ["planner", "planning", 1, true],
      ["worker", "working", 3, false],
      ["helper", "working", 3, false],
      ["auditor", "auditing", 1, true],
    ]);
  });

  it("has what becomes of the child for each handoff, by the default too", () => {
    expect(model.workflow?.handoffs.map(({ from, to, closing, isDefault }) => [from, to, closing, isDefault])).toEqual([
      ["planner", "worker", "abandon", false],
      ["worker", "helper", "request_cancel", true],
      ["helper", "helper", "terminate", false],
    ]);
  });

  it("has the tools that may touch a resource: by their definitions, and not those that are always refused", () => {
    const working = { path: "$.path", reads: ["read_file"], changes: ["write_file"] };
    expect(model.workflow?.resources).toMatchObject([
      {
        alias: "file",
        roles: [
          { role: "worker", ...working },
          { role: "helper", ...working },
          { role: "auditor", path: "$.file.path", reads: ["look_at"], changes: [] },
        ],
        strangers: ["planner"],
      },
      {
        alias: "branch",
        roles: [
          { role: "worker", reads: [], changes: ["write_file"] },
          { role: "helper", reads: [], changes: ["write_file"] },
        ],
        strangers: ["planner", "auditor"],
      },
    ]);
  });

  it("is null without a workflow", () => {
    expect(reportModel({ ...artifact, workflow: null }).workflow).toBe(null);
  });
});

describe("the drawing of a workflow", () => {
  it("has a box for each role, and a line with what it brings for each handoff to another", () => {
    if (model.workflow === null) throw new Error("no workflow");
    const { boxes, transitions } = layoutWorkflow(model.workflow);
    expect(boxes.map(({ lines, isInitial }) => [lines, isInitial])).toEqual([
      [["planner", "planning", "1 tool"], true],
      [["worker", "working", "3 tools"], false],
      [["helper", "working", "3 tools", "hands work to itself"], false],
      [["auditor", "auditing", "1 tool"], true],
    ]);
    expect(transitions.map(({ from, to, lines }) => [from, to, lines])).toEqual([
      ["planner", "worker", ["task", "files"]],
      ["worker", "helper", ["(nothing to bring)"]],
    ]);
    const [planner, worker, helper] = boxes.map(({ x }) => x);
    expect(Number(planner) < Number(worker) && Number(worker) < Number(helper)).toBe(true);
  });

  it("comes before the packs in every format", () => {
    expect(renderSvg(model)).toMatch(/workflow delivery.*planning/s);
    expect(renderMermaid(model)).toContain(`  state "workflow delivery" as w {
    state "planner" as w0
    state "worker" as w1
    state "helper" as w2
    state "auditor" as w3
    [*] --> w0
    [*] --> w3
    w0 --> w1 : task, files
    w1 --> w2
    w2 --> w2
  }
`);
    expect(renderDot(model)).toContain(`  subgraph cluster_workflow {
    label="workflow delivery";
    w0 [label="planner\\nplanning"];
`);
    expect(renderDot(model)).toContain('    w0 -> w1 [label="task\\nfiles"];\n');
  });
});

describe("the workflow on the page", () => {
  const page = renderPage(bareContent(artifact));
  const text = sectionText(page, "workflow");

  it.each([
    ["who starts", "Sessions of planner and auditor are started by the program that runs the workflow."],
    ["who does not", "Sessions of worker and helper start only by a handoff that is listed here."],
    ["a handoff", "plannerworkertask, filesabandon: it goes on, as if nobody had started it"],
    ["a handoff by default", "workerhelpernothingrequest_cancel (the default): it may finish the call it is in"],
    ["a limit", "Sessions started, ended ones included12,000further starts and handoffs are refused"],
    ["no limit", "Sessions at the same timeno limitnothing is refused for this"],
    [
      "a limit of steps",
      "Steps of all sessions together90further steps are refused in every session, and calls that begin one",
    ],
    ["a mode", "file single_writerThe first session that changes one owns it"],
    [
      "what releases",
      "or until every change by it is known not to have happened. Changes by any other session are refused",
    ],
    ["who touches", "workerpathread_filewrite_file"],
    ["who only reads", "auditorfile.pathlook_atnone"],
    ["who does not share", "plannerdoes not declare it: no call of this role counts as touching it"],
    ["no kill of subtrees", "A session cannot be killed together with all its descendants: that is refused."],
    ["a kill by operators", "Only an operator may kill the whole workflow"],
    ["the default policy", "has no policy of its own, this happens to a child whose parent ends: it may finish"],
  ])("says %s", (_, words) => {
    expect(text.replaceAll("$.", "")).toContain(words);
  });

  it("is told in the pack of each role too, under the names of the roles", () => {
    const roles = ["p0", "p1", "p2"].map((pack) => sectionText(page, `${pack}role`).replaceAll("$.", ""));
    expect(roles[0]).toContain("Role planner");
    expect(roles[0]).toContain("It may hand work to worker, bringing task and files.");
    expect(roles[1]).toContain("Its sessions start by a handoff from planner, bringing task and files.");
    expect(roles[1]).toContain(
      "It shares file, named by path, and changes it with write_file and reads it with read_file.",
    );
    expect(roles[2]).toContain("It can hand work to nobody.");
    expect(page).toContain(">working (worker, helper)</button>");
  });

  it("links each role to its pack, and each tool to its own", () => {
    const workflow = page.slice(page.indexOf('id="workflow"'), page.indexOf('class="switch"'));
    expect(workflow).toContain('<a class="name" href="#p1" data-go="1"><code>worker</code></a>');
    expect(workflow).toContain('<span data-pack="1"><a class="name" href="#p1t1" data-tool="1"><code>read_file</code>');
    expect(workflow).toContain('<a href="#p2" data-go="2" aria-label="role auditor, its sessions start on their own">');
  });

  it("shows what changed in it, though it is with a pack that has no tools", async () => {
    const { workflow } = artifact;
    if (workflow === null) throw new Error("no workflow");
    const [handoff, ...handoffs] = workflow.handoffs;
    if (handoff === undefined) throw new Error("no handoff");
    const limits = { ...workflow.limits, max_sessions: 10 };
    const old = {
      ...artifact,
      workflow: { ...workflow, limits, handoffs: [{ ...handoff, to: "auditor" }, ...handoffs] },
    };
    const { packs: difference } = await diffArtifacts(old, artifact, { bounds: null, wording: sentenceOf });
    const changed = renderPage({ ...bareContent(artifact), difference });
    const words = sectionText(changed, "workflow");
    expect(words).toContain("weaker max sessionsBefore: 10Now: 12000");
    expect(words).toContain('handoff planner → workerBefore: noneNow: {"parent_close_policy":"abandon"');
    expect(changed).toMatch(/<path class="transition changed"/);
    expect(verdictOf(changed)).toMatch(/3 changes, 3 weaker or not shown to be as strong$/);
    expect(page).not.toContain("Changed since the older pack");
  });

  it("has no part without a workflow", () => {
    const single = renderPage(bareContent({ ...artifact, workflow: null }));
    expect(single).not.toMatch(/id="workflow"|id="p0role"|data-go="/);
  });

  it("says so where nothing is handed off or shared", () => {
    const { workflow } = artifact;
    if (workflow === null) throw new Error("no workflow");
    const lone: Artifact = { ...artifact, workflow: { ...workflow, handoffs: [], shared_resources: [] } };
    const words = sectionText(renderPage(bareContent(lone)), "workflow");
    expect(words).toContain("No role can hand work to another: the workflow declares no handoff.");
    expect(words).toContain("No resource is shared: what two sessions do with the same thing is not coordinated.");
  });

  it("keeps hostile names from being markup, in every format", () => {
    const escaped = JSON.stringify(HOSTILE).slice(1, -1);
    const text = ["planner", "worker", "task", "file", "delivery"].reduce(
      (json, name) => json.replaceAll(`"${name}"`, () => `"${escaped}${name}"`),
      JSON.stringify(artifact),
    );
    const hostile: Artifact = JSON.parse(text);
    for (const written of [renderPage(bareContent(hostile)), renderSvg(reportModel(hostile))]) {
      expect(written).not.toMatch(/<script>window|<img|<!--/);
      expect(written).toContain("&#60;/script&#62;");
    }
    const strings = renderDot(reportModel(hostile)).replace(/"(?:[^"\\]|\\.)*"/gs, '""');
    expect(strings).toMatch(/^[\w\s{}[\]=;,>"-]*$/);
    for (const line of renderMermaid(reportModel(hostile)).split("\n")) {
      expect(line).toMatch(/^[\w\s.,/()#;:"{}[\]*>-]*$/);
    }
  });
});
