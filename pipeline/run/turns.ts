/** Lets one after the other: waits until everybody before is through, and answers how to let the next one in. */
export type TakeTurn = () => Promise<() => void>;

/** A row in which nobody waits yet. */
export function createTurns(): TakeTurn {
  let last: Promise<void> = Promise.resolve();
  return async () => {
    const before = last;
    let letNext: () => void = () => undefined;
    last = new Promise((resolve) => {
      letNext = resolve;
    });
    await before;
    return letNext;
  };
}
