import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Git ignores it. */
const CACHE = fileURLToPath(new URL("../../.cache", import.meta.url));
/** Without a network npm would try for minutes. */
const INSTALL_MS = 120_000;

/** The folder that packages are installed in, unless `isThere` finds them there already. */
export function installedIn(name, packages, isThere) {
  const folder = join(CACHE, name);
  if (!isThere(folder)) {
    mkdirSync(folder, { recursive: true });
    const install = ["install", "--no-save", "--no-audit", "--no-fund", "--loglevel=error", "--fetch-retries=1"];
    const options = { cwd: folder, stdio: ["ignore", "ignore", "inherit"], timeout: INSTALL_MS };
    spawnSync("npm", [...install, "--prefix", folder, ...packages], options);
  }
  return folder;
}

/** The binary of a line of Node, which the npm package `node` brings; null where it cannot be installed. */
export function nodeBinary(line) {
  const inFolder = (folder) => join(folder, "node_modules/node/bin/node");
  const binary = inFolder(installedIn(`nodes/${line}`, [`node@${line}`], (folder) => existsSync(inFolder(folder))));
  const { status, stdout } = spawnSync(binary, ["--version"], { encoding: "utf8" });
  return status === 0 ? { binary, version: stdout.trim() } : null;
}
