import type {
  AppendResult,
  DurableStore,
  ListedStream,
  ListOptions,
  LoadedStream,
  StoredRecord,
  StreamChange,
  StreamWrite,
} from "../../src/guard/durable-store.js";

/** What happens to a request: it arrives and is answered, its answer is lost, or it never arrives. */
export type RequestFate = "pass" | "answer lost" | "request lost";

/** A durable store behind a connection that loses what it is told to lose. */
export class LossyStore implements DurableStore {
  readonly kind = "lossy";
  /** The fate of each append; loads have their own. */
  appends: () => RequestFate = () => "pass";
  loads: () => RequestFate = () => "pass";
  /** How many appends reached the store. */
  arrived = 0;

  constructor(private readonly store: DurableStore) {}

  load(stream: string, options?: { readonly after?: number }): Promise<LoadedStream> {
    return this.carried(this.loads(), () => this.store.load(stream, options));
  }

  append(appendId: string, writes: readonly StreamWrite[]): Promise<AppendResult> {
    return this.carried(this.appends(), () => {
      this.arrived += 1;
      return this.store.append(appendId, writes);
    });
  }

  read(stream: string, after: number, limit: number): Promise<readonly StoredRecord[]> {
    return this.store.read(stream, after, limit);
  }

  list(options?: ListOptions): Promise<readonly ListedStream[]> {
    return this.store.list(options);
  }

  watch(stream: string, listener: (change: StreamChange) => void): Promise<() => void> {
    return this.store.watch(stream, listener);
  }

  close(): Promise<void> {
    return this.store.close();
  }

  private async carried<T>(fate: RequestFate, request: () => Promise<T>): Promise<T> {
    if (fate === "request lost") throw new Error("connection reset");
    const answer = await request();
    if (fate === "answer lost") throw new Error("connection reset");
    return answer;
  }
}
