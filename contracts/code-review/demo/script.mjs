const LOGIN = "/tmp/scratch/pr-17/src/login.ts";
const LOGOUT = "/tmp/scratch/pr-17/src/logout.ts";
const COMMIT = "3f786850e387550fdab836ed7e6dc881de23001b";
const READ = { content: "if (attempts > 3) lock();" };
const EDIT = { file_path: LOGIN, old_text: "attempts > 3", new_text: "attempts >= 3" };
const EDITED = { replacements: 1 };
const TASK = { task_summary: "Review the login of pull request 17", file_list: [LOGIN, LOGOUT] };

const lead = (does, rest = {}) => ({ by: "orchestrator", does, ...rest });
const one = (does, rest = {}) => ({ by: "worker-1", does, ...rest });
const two = (does, rest = {}) => ({ by: "worker-2", does, ...rest });
const edits = { tool: "edit_file", args: EDIT, output: EDITED };

/**
 * A review of pull request 17 by three agents, mistakes and a crash included. Steps are plain data, so that another process can be told
 * them. `output` is what the tool would answer; a refused call never gets that far.
 */
export const SCRIPT = [
  lead("start", { role: "orchestrator" }),
  lead("call", {
    tool: "fetch_pull_request",
    args: { pr_number: 17 },
    output: { state: "open", labels: ["ready-for-review"], head_sha: COMMIT },
  }),
  lead("call", {
    tool: "assign_review",
    args: { pr_number: 17, files: TASK.file_list },
    output: { assignment_id: "asg_1" },
  }),
  lead("handoff", { to: "worker-1", artifacts: { task_summary: TASK.task_summary } }),
  lead("handoff", { to: "worker-1", artifacts: TASK }),
  lead("handoff", { to: "worker-2", artifacts: TASK }),
  lead("handoff", { to: "worker-3", artifacts: TASK }),
  lead("handoff", { to: "worker-4", artifacts: TASK }),
  lead("kill", { scope: "workflow" }),
  lead("kill", { scope: "session", session: "worker-3" }),
  one("attach"),
  two("attach"),
  one("call", { tool: "read_file", args: { file_path: LOGIN }, output: READ }),
  two("call", { tool: "read_file", args: { file_path: LOGIN }, output: READ }),
  one("begin", edits),
  one("crash"),
  two("call", edits),
  two("look"),
  one("attach"),
  two("call", edits),
  one("call", {
    tool: "post_review_comment",
    args: { file_path: LOGIN, line: 12, severity: "major", body: "The counter is never reset." },
    output: { comment_id: "c_1" },
  }),
  one("close"),
  two("call", edits),
  one("settle", { output: EDITED }),
  two("call", edits),
  two("look"),
  lead("call", {
    tool: "submit_review",
    args: {
      pr_number: 17,
      commit_sha: COMMIT,
      verdict: "request_changes",
      summary: "The counter of attempts is never reset, so the lock stays.",
    },
    output: { review_id: "rev_1" },
  }),
  lead("close"),
  two("call", { tool: "read_file", args: { file_path: LOGOUT }, output: READ }),
  two("close"),
  lead("look"),
];
