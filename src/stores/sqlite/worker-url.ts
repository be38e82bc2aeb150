/** In a file of its own, so that tests, which run the sources, can have the thread run what was built of them. */
export const WORKER_URL = new URL("./sqlite-worker.js", import.meta.url);
