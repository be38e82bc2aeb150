import { watch } from "node:fs";
import { sep } from "node:path";

/** Editors write a file in several steps, and often several files at once. */
const SETTLED_MS = 100;

/** What a pack is read from; editors leave files of their own beside them. */
const READ = /\.(?:yaml|yml|json)$/;

/** Waits for changes of the files of a folder until it is interrupted. */
export class ChangedFiles {
  private readonly changed = new Set<string>();
  private readonly watcher;
  private isInterrupted = false;
  private wake: () => void = () => {};
  private readonly interrupt = () => {
    this.isInterrupted = true;
    this.wake();
  };

  constructor(folder: string) {
    this.watcher = watch(folder, { recursive: true }, (_, name) => {
      if (name === null || !READ.test(name)) return;
      this.changed.add(name.split(sep).join("/"));
      this.wake();
    });
    process.on("SIGINT", this.interrupt);
  }

  /** The files that were changed since the last time, as paths below the folder; null if the user has had enough. */
  async next(): Promise<ReadonlySet<string> | null> {
    while (this.changed.size === 0 && !this.isInterrupted) await new Promise<void>((resolve) => (this.wake = resolve));
    for (let count = -1; count < this.changed.size && !this.isInterrupted; ) {
      count = this.changed.size;
      await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    }
    if (this.isInterrupted) return null;
    const files = new Set(this.changed);
    this.changed.clear();
    return files;
  }

  close(): void {
    this.watcher.close();
    process.off("SIGINT", this.interrupt);
  }
}
