/** Does `work` for every item, at most `inFlightMax` at a time; after a failure nothing new starts, and it is thrown once all rest. */
export async function forEachInFlight<Item>(
  items: readonly Item[],
  inFlightMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const queue = items.values();
  const lane = async (): Promise<void> => {
    for (const item of queue) {
      try {
        await work(item);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: Math.min(inFlightMax, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
}
