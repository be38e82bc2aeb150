/** First in, first out; taken items are dropped, so that their memory is released. */
export class Queue<T> {
  private readonly items: (T | undefined)[] = [];
  private at = 0;

  add(item: T): void {
    this.items.push(item);
  }

  take(): T | undefined {
    const item = this.items[this.at];
    if (item === undefined) return undefined;
    this.items[this.at] = undefined;
    this.at += 1;
    return item;
  }
}

/** Items in the order of a whole number, first in, first out where it is the same. */
export class Buckets<T> {
  private readonly queues: Queue<T>[] = [];

  add(item: T, at: number): void {
    if (at === Number.POSITIVE_INFINITY) return;
    while (this.queues.length <= at) this.queues.push(new Queue());
    this.queues[at]?.add(item);
  }

  take(): T | undefined {
    for (const queue of this.queues) {
      const item = queue.take();
      if (item !== undefined) return item;
    }
    return undefined;
  }
}
