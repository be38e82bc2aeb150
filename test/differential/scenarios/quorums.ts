import {
  approveBy,
  call,
  denyBy,
  elsewhere,
  meanwhile,
  pack,
  result,
  resume,
  type Scenario,
  tool,
} from "../scenario.js";
import { ALWAYS } from "./parts.js";

const ASKING = pack([tool("a", { checkpoint: ALWAYS }), tool("b")]);

/** The sentences about answers by several people and through other guards, each as a scenario. */
export const QUORUMS: readonly Scenario[] = [
  {
    sentence: "records an answer through another guard, which ends the pause; the call is reserved once, by any guard",
    pack: ASKING,
    steps: [
      [call("a"), "approval_required"],
      [elsewhere(call("b")), "session_paused"],
      [elsewhere(approveBy("ann")), "recorded 1 of 1"],
      [approveBy("bob"), "approval_used"],
      [elsewhere(call("b")), "allow"],
      [elsewhere(resume), "allow"],
      [resume, "allow, repeated"],
      [result(), "accepted"],
      [resume, "approval_used"],
    ],
  },
  {
    sentence: "judges a granted call again when it is resumed, however late",
    pack: pack([tool("a", { checkpoint: ALWAYS }), tool("b", { forbids_after: ["a"] })]),
    steps: [
      [call("a"), "approval_required"],
      [elsewhere(approveBy("ann")), "recorded 1 of 1"],
      [call("b"), "allow"],
      [meanwhile((play) => play.wait(60)), ""],
      [resume, "forbidden_after"],
      [resume, "approval_used"],
    ],
  },
  {
    sentence: "records a denial through another guard, which ends the request",
    pack: ASKING,
    options: { approvals: { quorum: 2 } },
    steps: [
      [call("a"), "approval_required"],
      [approveBy("ann"), "recorded 1 of 2"],
      [elsewhere(denyBy("bob")), "recorded 1 of 2"],
      [resume, "approval_denied"],
      [call("b"), "allow"],
    ],
  },
  {
    sentence: "wants as many different people as are needed, by their names without case and space",
    pack: ASKING,
    options: { approvals: { quorum: 3 } },
    steps: [
      [call("a"), "approval_required"],
      [approveBy("Ann"), "recorded 1 of 3"],
      [approveBy(" ann "), "approver_repeated"],
      [approveBy(" "), "approver_unnamed"],
      [resume, "approval_required"],
      [elsewhere(approveBy("bob")), "recorded 2 of 3"],
      [call("b"), "session_paused"],
      [approveBy("cy"), "allow"],
    ],
  },
  {
    sentence: "takes no approval of the requester, whichever guard it comes through",
    pack: ASKING,
    options: { requester: "Zoe" },
    steps: [
      [call("a"), "approval_required"],
      [approveBy(" zoe"), "approver_is_requester"],
      [elsewhere(approveBy("ZOE")), "approver_is_requester"],
      [approveBy(""), "approver_unnamed"],
      [approveBy("ann"), "allow"],
    ],
  },
  {
    sentence: "takes the requester's approval where that is configured, and no name where it does not matter",
    pack: ASKING,
    options: { requester: "zoe", approvals: { notRequester: false } },
    steps: [
      [call("a"), "approval_required"],
      [approveBy("zoe"), "allow"],
      [call("a"), "approval_required"],
      [approveBy(""), "allow"],
    ],
  },
  {
    sentence: "takes no approval for later after a kill",
    pack: ASKING,
    steps: [
      [call("a"), "approval_required"],
      [meanwhile(({ guard }) => guard.kill("stop")), ""],
      [elsewhere(approveBy("ann")), "session_killed"],
      [resume, "session_killed"],
    ],
  },
  {
    sentence: "expires before the quorum is met",
    pack: ASKING,
    options: { approvals: { quorum: 2 } },
    steps: [
      [call("a"), "approval_required"],
      [approveBy("ann"), "recorded 1 of 2"],
      [meanwhile((play) => play.wait(30)), ""],
      [approveBy("bob"), "approval_expired"],
      [resume, "approval_expired"],
    ],
  },
];
