// A scripted agent behind an endpoint of the platform: every tool call goes through the per-run proxy, guarded by
// contracts/refunds. No model, no key. Run it with `AGENT_TOKEN=… node contracts/refunds/agent.mjs`.
import { createServer } from "node:http";
import { fileURLToPath } from "node:url";
import { compilePack } from "contract-guard";
import { createDispatchHandler, toNodeListener } from "contract-guard/pipelines";

const { artifact } = await compilePack(fileURLToPath(new URL(".", import.meta.url)));

/** A script instead of a model: it asks for too much first, is refused, and then follows the rules. */
async function refund({ taskInput, callTool, trace, handoff }) {
  const { order_id, customer_id, verification_code } = taskInput;
  await callTool("get_order", { order_id });
  await callTool("verify_identity", { customer_id, verification_code });
  handoff({ from: "supervisor", to: "supervisor/refunds" });
  const actor = { actorId: "supervisor/refunds" };
  const assessed = await callTool("check_eligibility", { order_id, customer_id }, actor);
  const wanted = { order_id, eligibility_id: assessed.eligibility_id, currency: "USD", reason: "damaged" };
  try {
    await callTool("issue_refund", { ...wanted, amount: assessed.max_amount + 100 }, actor);
  } catch (refusal) {
    trace("thinking", { text: `not like that: ${refusal.verdict?.reason ?? refusal.name}` });
  }
  const { refund_id } = await callTool("issue_refund", { ...wanted, amount: assessed.max_amount }, actor);
  return { finalResponse: `Refunded ${assessed.max_amount} USD for order ${order_id} as ${refund_id}.` };
}

/** The endpoint itself, for any server of web-standard requests. */
export const handler = createDispatchHandler({
  auth: { token: process.env.AGENT_TOKEN },
  artifact,
  principal: { department: "support", type: "agent" },
  responseContract: { response_mode: "rich", strictness: "strict" },
  agent: refund,
});

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const server = createServer(toNodeListener(handler));
  server.listen(Number(process.env.PORT ?? 8787), "127.0.0.1", () => {
    console.log(`listening on http://127.0.0.1:${server.address().port}`);
  });
}
