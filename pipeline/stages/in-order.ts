/** Items that may be under way or done before the first of them is taken, for each that is worked on at once. */
const AHEAD_EACH = 8;

/**
 * The results of `work` in the order of the items, of which so many are worked on at once. One that takes long does not
 * keep the others from being worked on, but for those far ahead, whose results nobody could take yet.
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
    // Whoever is next takes this place over: were it free in between, another could come first, and be one too many.
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
    // Whoever takes results hears of the first that fails, in order; what fails behind it is nobody's any more.
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
    // Where nobody takes any more, what waits for its start is never started.
    starts.length = 0;
  }
}
