/** Items per worker that may be running or finished before the first result is consumed. */
const AHEAD_EACH = 8;

/**
 * Yields the results of `work` in the order of the items, running `atOnce` in parallel. A slow item does not
 * block others, except those too far ahead, whose results could not be consumed yet.
 */
export async function* inOrder<Item, Result>(
  items: Iterable<Item>,
  atOnce: number,
  work: (item: Item) => Promise<Result>,
): AsyncGenerator<Result> {
  const results: Promise<Result>[] = [];
  const starts: (() => void)[] = [];
  let running = 0;
  const enter = async (): Promise<void> => {
    if (running === atOnce) return new Promise((resolve) => starts.push(resolve));
    running += 1;
  };
  const leave = (): void => {
    const next = starts.shift();
    // The next waiter inherits this slot. If it were freed in between, a newcomer could take it and exceed
    // the limit.
    if (next === undefined) running -= 1;
    else next();
  };
  const start = async (item: Item): Promise<Result> => {
    await enter();
    try {
      return await work(item);
    } finally {
      leave();
    }
  };
  const add = (item: Item): void => {
    const result = start(item);
    // The consumer sees the first failure in order; later ones need no handler.
    result.catch(() => undefined);
    results.push(result);
  };
  try {
    for (const item of items) {
      add(item);
      if (results.length < atOnce * AHEAD_EACH) continue;
      const first = results.shift();
      if (first !== undefined) yield await first;
    }
    for (const result of results) yield await result;
  } finally {
    // If the consumer stopped, waiting items are never started.
    starts.length = 0;
  }
}
