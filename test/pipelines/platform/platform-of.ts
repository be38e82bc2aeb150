import { onTestFinished } from "vitest";
import { type Platform, type PlatformOptions, startPlatform } from "./platform.js";
import { type AgentReply, type StubAgent, startStubAgent } from "./stub-agent.js";

/** A platform that closes with the test that asked for it. */
export async function platformOf(options: PlatformOptions = {}): Promise<Platform> {
  const platform = await startPlatform(options);
  onTestFinished(() => platform.close());
  return platform;
}

/** A stub agent that closes with the test that asked for it. */
export async function agentOf(reply: AgentReply): Promise<StubAgent> {
  const agent = await startStubAgent(reply);
  onTestFinished(() => agent.close());
  return agent;
}
