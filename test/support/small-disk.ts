import { spawnSync } from "node:child_process";

/** In namespaces of its own a user may mount, and stays the same user. */
const OWN_MOUNTS = ["--user", "--map-current-user", "--keep-caps", "--mount"];

/** Runs the command that follows with a small file system in a folder, which nobody else sees and which goes with it. */
export function smallDisk(folder: string, megabytes: number): readonly string[] {
  const mount = `mount -t tmpfs -o size=${megabytes}m,mode=700 none ${folder} && exec "$@"`;
  return ["unshare", ...OWN_MOUNTS, "sh", "-c", mount, "sh"];
}

/** Whether a user is allowed to; the one of this process, unless another is given. */
export function canMount(user: { readonly uid?: number; readonly gid?: number } = {}): boolean {
  return spawnSync("unshare", [...OWN_MOUNTS, "true"], user).status === 0;
}

/** Follows the name of tests that are skipped. */
export const MOUNT_MISSING = " (skipped: this user may not mount a file system)";
