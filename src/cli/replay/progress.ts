import type { Output, Terminal } from "../terminal.js";
import type { Meter } from "./read-traces.js";

const WIDTH = 30;

/** A bar on a terminal, and nothing anywhere else. */
export class Progress implements Meter {
  private done = 0;
  private shown = -1;
  private isDrawn = false;
  private readonly isShown: boolean;

  constructor(
    private readonly terminal: Terminal,
    private readonly size: number,
  ) {
    this.isShown = terminal.stderr.isTTY === true && size > 0;
  }

  add(characters: number): void {
    this.done += characters;
    const percent = this.isShown ? Math.min(99, Math.floor((100 * this.done) / this.size)) : this.shown;
    if (percent === this.shown) return;
    this.shown = percent;
    const bar = "#".repeat(Math.floor((WIDTH * percent) / 100)).padEnd(WIDTH, ".");
    this.terminal.stderr.write(`\r[${bar}] ${percent} %`);
    this.isDrawn = true;
  }

  /** An output whose lines do not run into the bar: it is removed first, and comes back when more was read. */
  besides(output: Output): Output {
    const write = (text: string) => {
      this.end();
      return output.write(text);
    };
    return output.isTTY === true ? { write, isTTY: true } : output;
  }

  /** Removes the bar. */
  end(): void {
    if (this.isDrawn) this.terminal.stderr.write(`\r${" ".repeat(WIDTH + 8)}\r`);
    this.isDrawn = false;
  }
}
