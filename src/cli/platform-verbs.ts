import { type Command, Option } from "commander";
import type { DoctorArguments } from "./commands/doctor.js";
import { DOCTOR_FORMATS, RESPONSE_FORMATS, type ResponseFormat } from "./output-formats.js";
import type { Ask } from "./run.js";
import type { Terminal } from "./terminal.js";

interface ResponseFlags {
  readonly rich?: boolean;
  readonly format: ResponseFormat;
}

/** The verbs for agents on the Pipelines platform. */
export function addPlatformVerbs(root: Command, terminal: Terminal, ask: Ask): void {
  root
    .command("check-response")
    .description("check the body of an agent's reply against the response contract")
    .argument("<file>", "a JSON file, or - for standard input")
    .option("--rich", "require a transcript that a judge can grade")
    .addOption(new Option("--format <format>", "how findings are printed").choices(RESPONSE_FORMATS).default("text"))
    .action((file: string, { rich = false, format }: ResponseFlags) =>
      ask(async () =>
        (await import("./commands/check-response.js")).checkResponseCommand(terminal, { file, rich, format }),
      ),
    );
  root
    .command("doctor")
    .description("check a running agent endpoint as the platform would call it")
    .requiredOption("--url <url>", "where the endpoint listens")
    .option(
      "--token <token>",
      "the token that the endpoint expects; other users of this machine may see it, so prefer --token-env",
    )
    .option("--token-env <name>", "the environment variable that holds the token (default: AGENT_TOKEN, if set)")
    .option("--auth-header <name>", "the header that carries it (default: Authorization)")
    .option("--scheme <word>", 'the word before the token (default: Bearer; "" for nothing)')
    .option("--pack <folder>", "check the tools.json of this pack too")
    .option("--tools <file>", "check these tool definitions too")
    .option("--proxy-probe <url>", "send a test request to this proxy; no proxy is contacted otherwise")
    .option("--no-probe", "contact no proxy (the default)")
    .option("--rich", "the agent is registered with the rich response contract", false)
    .option("--timeout <seconds>", "how long a dispatch may take (default: 300)")
    .addOption(new Option("--format <format>", "how the report is printed").choices(DOCTOR_FORMATS).default("text"))
    .action((flags: DoctorArguments) =>
      ask(async () => (await import("./commands/doctor.js")).doctorCommand(terminal, flags)),
    );
}
