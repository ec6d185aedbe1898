/** Stops the program on a state that our own code must never reach; outside data gets an error of its own instead. */
export function invariant(condition: unknown, message: string): asserts condition {
  if (!condition) throw new Error(`invariant: ${message}`);
}
