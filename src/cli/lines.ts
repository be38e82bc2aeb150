/** No record is as long: what is must not fill the memory. */
const LONGEST = 64 * 1024 * 1024;

/** Takes texts apart at line breaks. A line that is too long is null, and not kept. */
export class Lines {
  private parts: string[] = [];
  private length = 0;

  add(text: string): readonly (string | null)[] {
    const found: (string | null)[] = [];
    let from = 0;
    for (let to = text.indexOf("\n"); to !== -1; to = text.indexOf("\n", from)) {
      this.keep(text.slice(from, to));
      found.push(this.line());
      from = to + 1;
    }
    this.keep(text.slice(from));
    return found;
  }

  /** Whether the line that is being read is too long already; it may never end. */
  get isTooLong(): boolean {
    return this.length > LONGEST;
  }

  /** What is left at the end. */
  line(): string | null {
    const line = this.isTooLong ? null : this.parts.join("");
    this.parts = [];
    this.length = 0;
    return line;
  }

  private keep(part: string): void {
    this.length += part.length;
    if (this.isTooLong) this.parts = [];
    else if (part !== "") this.parts.push(part);
  }
}
