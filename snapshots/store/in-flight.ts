/**
 * Does `work` for every item, at most `inFlightMax` at a time; after a failure nothing new starts, and it is thrown once
 * all rest. Items are taken as there is room for them, so that those which are made on the way are never there all at once.
 */
export async function forEachInFlight<Item>(
  items: Iterable<Item>,
  inFlightMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const queue = items[Symbol.iterator]();
  const lane = async (): Promise<void> => {
    while (failures.length === 0) {
      try {
        const next = queue.next();
        if (next.done === true) return;
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: inFlightMax }, lane));
  if (failures.length > 0) throw failures[0];
}
