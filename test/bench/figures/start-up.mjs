import { spawnSync } from "node:child_process";
import { lstatSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { figure, medians, rounded, skippedFigure } from "../measure.mjs";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const MOST_MB = { atMost: 14 };

function importing(name) {
  return ["--input-type=module", "-e", `import "${name}"`];
}

/** What is started, each as a process of its own; `bare` is what the others are held against. */
const PROCESSES = {
  bare: { name: "`node -e 0`", args: ["-e", "0"] },
  check: { name: "`contracts check contracts/minimal`", args: ["bin/contracts.js", "check", "contracts/minimal"] },
  help: { name: "`contracts --help`", args: ["bin/contracts.js", "--help"] },
  guard: { name: "import of `contract-guard/guard`", args: importing("contract-guard/guard") },
  kit: { name: "import of `contract-guard/pipelines`", args: importing("contract-guard/pipelines") },
  library: { name: "import of `contract-guard`", args: importing("contract-guard") },
};

function run(command, args, cwd) {
  const { error, status, stderr, stdout } = spawnSync(command, args, { cwd, encoding: "utf8" });
  if (error !== undefined) throw error;
  if (status !== 0) throw new Error(`${command} ${args.join(" ")} ended with exit code ${status}: ${stderr}`);
  return stdout;
}

function startTimes() {
  const tasks = Object.entries(PROCESSES).map(([key, { args }]) => [key, () => run(process.execPath, args, ROOT)]);
  return medians(Object.fromEntries(tasks), { warmUps: 2, repetitions: 10 });
}

/** What a folder takes on the disk, in whole blocks, as `du` counts. */
function bytesIn(path) {
  const stats = lstatSync(path);
  const own = stats.blocks * 512;
  if (!stats.isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), own);
}

/** The megabytes of the tarball, installed with its dependencies; a text says why it could not be. */
function installedMegabytes() {
  const folder = mkdtempSync(join(tmpdir(), "install-"));
  try {
    const packed = run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder], ROOT);
    const tarball = join(folder, JSON.parse(packed)[0].filename);
    run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--prefer-offline", tarball], folder);
    return bytesIn(join(folder, "node_modules")) / 1e6;
  } catch (cause) {
    return cause.message.trim().split("\n").at(-1);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function sizeFigure(megabytes) {
  return typeof megabytes === "number" ? figure(megabytes, "MB", MOST_MB) : skippedFigure("MB", MOST_MB, megabytes);
}

/** How long people wait for the command line, how long agents for the guard, and what an installation takes. */
export const startUp = {
  title: "Start-up and size",
  figures: ["cli_start_vs_node", "guard_import_ms_vs_node", "install_mb"],
  run(progress) {
    progress("starting processes");
    const times = startTimes();
    progress("installing the tarball");
    return {
      figures: {
        cli_start_vs_node: figure(times.check / times.bare, "times", { atMost: 2.5 }),
        guard_import_ms_vs_node: figure((times.guard - times.bare) / times.bare, "times", { atMost: 0.4 }),
        install_mb: sizeFigure(installedMegabytes()),
      },
      table: {
        columns: ["process", "ms", "ratio"],
        rows: Object.entries(PROCESSES).map(([key, { name }]) => [
          name,
          rounded(times[key]),
          rounded(times[key] / times.bare),
        ]),
      },
    };
  },
};
