import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const FOLDER = fileURLToPath(new URL("peers", import.meta.url));

function areInstalled() {
  const { dependencies } = JSON.parse(readFileSync(`${FOLDER}/package.json`, "utf8"));
  // npm writes the hidden lock file last.
  const files = [".package-lock.json", ...Object.keys(dependencies)];
  return files.every((file) => existsSync(`${FOLDER}/node_modules/${file}`));
}

/** Installs the peers where that has not been done. Gives what went wrong, or null. */
export function installPeers(progress) {
  if (areInstalled()) return null;
  progress("installing the peers: npm ci --prefix test/bench/peers");
  const { error, status } = spawnSync("npm", ["ci", "--no-audit", "--no-fund", "--prefix", FOLDER], {
    stdio: ["ignore", "ignore", "inherit"],
    shell: process.platform === "win32",
  });
  if (error !== undefined) return `npm does not start: ${error.message}`;
  return status === 0 ? null : `npm ci --prefix test/bench/peers ended with exit code ${status}`;
}
