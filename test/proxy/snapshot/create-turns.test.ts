import { expect, it } from "vitest";
import { createTurns, type Rest } from "../../../proxy/snapshot/create-turns.ts";

/** Rests that end when the test says so, or with their signal. */
function handRests() {
  const waiting: { waitMs: number; end: () => void }[] = [];
  const rest: Rest = (waitMs, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve();
      waiting.push({ waitMs, end: resolve });
      signal.addEventListener("abort", () => resolve(), { once: true });
    });
  return { rest, waiting };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

it("takes one turn after another, each as late as the one before said", async () => {
  const { rest, waiting } = handRests();
  let turns = 0;
  const loop = createTurns(async () => {
    turns += 1;
    return turns * 10;
  }, rest);
  await loop.start(() => true, 99);
  await settle();
  expect([turns, waiting.map(({ waitMs }) => waitMs)]).toEqual([1, [10]]);
  waiting[0]?.end();
  await settle();
  expect([turns, waiting.map(({ waitMs }) => waitMs)]).toEqual([2, [10, 20]]);
  await loop.stop(5);
  await settle();
  expect(turns).toBe(2);
  await loop.stop(5);
});

it.each(["when it is settled", "when it has waited long enough", "when it is stopped"])(
  "comes back from its start %s",
  async (why) => {
    const { rest, waiting } = handRests();
    let finishTurn = () => {};
    let isSettled = false;
    const loop = createTurns(
      () =>
        new Promise((resolve) => {
          finishTurn = () => resolve(7);
        }),
      rest,
    );
    let isBack = false;
    const starting = loop
      .start(() => isSettled, 99)
      .then(() => {
        isBack = true;
      });
    await settle();
    finishTurn();
    await settle();
    expect(isBack).toBe(false);
    waiting.find(({ waitMs }) => waitMs === 7)?.end();
    await settle();
    if (why.includes("settled")) isSettled = true;
    if (why.includes("long")) waiting.find(({ waitMs }) => waitMs === 99)?.end();
    if (why.includes("stopped")) void loop.stop(5);
    finishTurn();
    await starting;
    expect(isBack).toBe(true);
    const stopping = loop.stop(5);
    finishTurn();
    await stopping;
  },
);

it("does not wait for ever for a turn that hangs", async () => {
  const { rest, waiting } = handRests();
  const loop = createTurns(() => new Promise(() => {}), rest);
  await loop.start(() => true, 99);
  const stopping = loop.stop(5);
  expect(loop.signal.aborted).toBe(true);
  waiting.find(({ waitMs }) => waitMs === 5)?.end();
  await stopping;
});
