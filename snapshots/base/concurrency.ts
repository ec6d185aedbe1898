import { pMapIterable } from "p-map";

/** Items per worker that may be running or finished before the first result is consumed. */
const AHEAD_EACH = 8;

/**
 * Yields the results of `work` in the order of the items, running `atOnce` in parallel. A slow item does not block others,
 * except those too far ahead, whose results could not be consumed yet.
 */
export async function* inOrder<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const options = { concurrency: atOnce, backpressure: atOnce * AHEAD_EACH };
  // Its own type leaves out the results that its symbols for skipping and stopping would be.
  yield* pMapIterable(items, work, options) as AsyncIterable<Result>;
}

/**
 * Does `work` for every item, at most `inFlightMax` at a time. After a failure it starts nothing new, waits for running
 * work and throws: p-map does not wait, so that a caller would clean up under running work. Takes each item only when it
 * can start, so that lazily made items are never all in memory.
 */
export async function forEachInFlight<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  inFlightMax: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const failures: unknown[] = [];
  const queue = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]();
  const worker = async (): Promise<void> => {
    while (failures.length === 0) {
      try {
        const next = await queue.next();
        if (next.done === true) return;
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: inFlightMax }, worker));
  if (failures.length === 0) return;
  // The source of the items may have open resources.
  await queue.return?.();
  throw failures[0];
}

export function* inBatches<Item>(items: Iterable<Item>, size: number): Generator<readonly Item[]> {
  let batch: Item[] = [];
  for (const item of items) {
    batch.push(item);
    if (batch.length < size) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}
