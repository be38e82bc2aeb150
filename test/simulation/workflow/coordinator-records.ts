import type { ClosePolicy, Happening } from "../../workflow-reference/reference/model.js";

/** The parts of a coordinator's record that are about whole sessions; their calls are in the records of the sessions. */
interface Recorded {
  readonly kind: string;
  readonly session: string;
  readonly role: string;
  readonly parent: string | null;
  readonly scope: "session" | "subtree" | "workflow";
  /** Why the session was killed by its own guard. */
  readonly killed?: string;
}

/** What became of sessions, by the text of a record; `policyOf` says what a child is told when its parent ends. */
export function happeningsIn(text: string, policyOf: (parent: string, role: string) => ClosePolicy): Happening[] {
  const { event = null }: { readonly event?: Recorded | null } = JSON.parse(text);
  if (event === null) return [];
  const { session, role, parent, scope } = event;
  switch (event.kind) {
    case "started": {
      const policy = parent === null ? "request_cancel" : policyOf(parent, role);
      return [{ kind: "started", session, role, parent, policy }];
    }
    case "closed":
      return [{ kind: "closed", session }];
    case "killed":
      if (scope === "workflow") return [{ kind: "workflow_killed" }];
      return [{ kind: scope === "subtree" ? "subtree_killed" : "killed", session }];
    case "kill_refused":
      return [{ kind: "kill_refused", scope }];
    default:
      return event.killed === undefined ? [] : [{ kind: "killed", session }];
  }
}
