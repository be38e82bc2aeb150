/**
 * Runs the work for any number of calls: once at a time, and once more if it was called meanwhile. Each call is followed by a run
 * that begins after it.
 */
export function coalesced(work: () => Promise<void>): () => void {
  let isRunning = false;
  let isCalled = false;
  const run = async (): Promise<void> => {
    isRunning = true;
    while (isCalled) {
      isCalled = false;
      await work();
    }
    isRunning = false;
  };
  return () => {
    isCalled = true;
    if (!isRunning) void run();
  };
}
