const LONGEST = 256;
/** The documents show a path with slashes and nothing of its grammar; this is the one place that assumes one. */
const SHAPE = /^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/;

/** Whether the proxy takes a label of a sub-agent; no catalogue is asked. */
export function isActorId(label: string): boolean {
  return label.length <= LONGEST && SHAPE.test(label);
}
