import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it, onTestFinished } from "vitest";
import { AUTH, TOKEN } from "./endpoint.js";
import { respond } from "./platform/behaviour.js";
import { platformOf } from "./platform/platform-of.js";

const FOLDER = fileURLToPath(new URL("frameworks", import.meta.url));
const KIT = new URL("../../dist/bundle/pipelines.js", import.meta.url).href;
const DOCUMENT = readFileSync(new URL("../../docs/pipelines.md", import.meta.url), "utf8");

/** Installs the frameworks where that has not been done; npm writes the hidden lock file last. */
function areInstalled(): boolean {
  if (existsSync(`${FOLDER}/node_modules/.package-lock.json`)) return true;
  const args = ["ci", "--no-audit", "--no-fund", "--fetch-retries=0"];
  const { status } = spawnSync("npm", args, { cwd: FOLDER, stdio: "ignore", timeout: 120_000 });
  return status === 0;
}

/** What stands around the line of the document: imports, an app, and how its port is told. */
const AROUND: Readonly<Record<string, readonly [before: string, after: string]>> = {
  "`node:http`": [
    'import { createServer } from "node:http"; const server =',
    'server.once("listening", () => tell(server.address().port));',
  ],
  Express: [
    'import express from "express"; const app = express();',
    "const server = app.listen(0, () => tell(server.address().port));",
  ],
  "Express with express.json()": [
    'import express from "express"; const app = express(); app.use(express.json());',
    "const server = app.listen(0, () => tell(server.address().port));",
  ],
  Fastify: [
    'import fastify from "fastify"; const app = fastify();',
    "await app.listen({ port: 0 }); tell(app.server.address().port);",
  ],
  Hono: [
    'import { serve } from "@hono/node-server"; import { Hono } from "hono"; const app = new Hono();',
    "serve({ fetch: app.fetch, port: 0 }, ({ port }) => tell(port));",
  ],
};

const lines = new Map(
  [...DOCUMENT.matchAll(/^\| (`node:http`|Express|Fastify|Hono) \| `(.*)` \|$/gm)].map(([, server = "", line = ""]) => [
    server,
    line.replace("8787", "0"),
  ]),
);

async function serve(server: string): Promise<string> {
  const [before = "", after = ""] = AROUND[server] ?? [];
  const line = lines.get(server.replace(/ with .*$/, ""));
  // The handler has to be there before the line of the document runs.
  const script = `import { createDispatchHandler, toNodeListener } from "${KIT}";
    const tell = (port) => console.log(port);
    const handler = createDispatchHandler({ auth: { token: "${TOKEN}" }, artifact: "none", agent: async ({ callTool, taskInput }) =>
      JSON.stringify(await callTool("look", taskInput)) });
    ${before} ${line};
    ${after}`;
  const child = spawn(process.execPath, ["--no-warnings", "--input-type=module", "-e", script], {
    cwd: FOLDER,
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => {
    child.kill();
  });
  const [port] = await once(child.stdout, "data");
  return `http://127.0.0.1:${Number(port)}/dispatch`;
}

describe("the lines for servers in docs/pipelines.md", () => {
  it("are all tried here", () => {
    expect([...lines.keys()].sort()).toEqual(
      Object.keys(AROUND)
        .filter((name) => !name.includes("with"))
        .sort(),
    );
  });

  it.skipIf(!areInstalled()).each(Object.keys(AROUND))("serve dispatches: %s", async (server) => {
    const url = await serve(server);
    const platform = await platformOf();
    expect(await platform.ping(url, { authHeader: AUTH })).toMatchObject({ ok: true });
    expect(await platform.ping(url)).toMatchObject({ ok: false, status: 401 });
    const run = platform.openRun({ tools: { look: (args) => respond({ seen: args }) } });
    const result = await platform.dispatch(run, url, { authHeader: AUTH, input: { order: "ü" } });
    expect(result).toMatchObject({ status: 200, errorClass: null, answer: '{"seen":{"order":"ü"}}' });
  });
});
