import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";

const PLACES = [process.env.CHROMIUM_PATH, "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

function find(): string | null {
  return PLACES.find((place): place is string => place !== undefined && existsSync(place)) ?? null;
}

/** Where there is no network it must be found out soon. */
const QUICK = ["-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=15"] as const;

function aptGet(args: readonly string[], seconds: number): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync("apt-get", args, { stdio: "ignore", timeout: seconds * 1000, env }).status === 0;
}

/** A browser, or why there is none. */
export type Chromium = { readonly path: string } | { readonly missing: string };

/** Finds Chromium; installs Debian's where that is allowed and possible. */
export function chromium(): Chromium {
  const found = find();
  if (found !== null) return { path: found };
  if (process.getuid?.() !== 0) return { missing: "Chromium is not installed, and only root may install it" };
  if (!aptGet(["--version"], 10)) return { missing: "Chromium is not installed, and there is no apt-get" };
  const install = () =>
    aptGet([...QUICK, "install", "-y", "--no-install-recommends", "chromium", "fonts-dejavu-core"], 180);
  const isInstalled = install() || (aptGet([...QUICK, "update"], 60) && install());
  const path = isInstalled ? find() : null;
  return path === null ? { missing: "Chromium is not installed, and apt-get could not install it" } : { path };
}

/** A browser that asks nothing of the network by itself. */
export const LAUNCH_ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
] as const;
