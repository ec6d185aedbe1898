import { expect, it } from "vitest";
import { BATCH_BOUNDS, createQuotaTally, watchLedger } from "../../../proxy/observe/watch-ledger.ts";

it("counts commits by their size and failures, and changes nothing about either", () => {
  let isBroken = false;
  const tally = createQuotaTally();
  const ledger = watchLedger(
    {
      settle: (charges: readonly number[], refunds: readonly number[]) => {
        if (isBroken) throw new Error("disk I/O error");
        return charges.length - refunds.length;
      },
      close: () => "closed",
    },
    tally,
  );
  expect(ledger.settle([1], [])).toBe(1);
  expect(ledger.settle([1, 2], [3])).toBe(1);
  expect(ledger.settle(Array(300).fill(1), [])).toBe(300);
  expect([tally.units, tally.failures]).toEqual([304, 0]);
  expect(tally.perClass).toHaveLength(BATCH_BOUNDS.length + 1);
  expect(tally.perClass.flatMap((count, at) => (count > 0 ? [[at, count]] : []))).toEqual([
    [0, 1],
    [2, 1],
    [BATCH_BOUNDS.length, 1],
  ]);
  isBroken = true;
  expect(() => ledger.settle([1], [])).toThrow("disk I/O error");
  expect([tally.units, tally.failures]).toEqual([304, 1]);
  expect(ledger.close()).toBe("closed");
});

it("counts a ledger that answers later when it has answered, and its failures", async () => {
  const tally = createQuotaTally();
  const answers = [Promise.resolve(["one"]), Promise.reject(new Error("away"))];
  const watched = watchLedger(
    { settle: (_charges: readonly never[], _refunds: readonly never[]) => answers.shift() },
    tally,
  );
  const first = watched.settle([], []);
  expect(tally.perClass.every((count) => count === 0)).toBe(true);
  expect(await first).toEqual(["one"]);
  await expect(watched.settle([], [])).rejects.toThrow("away");
  expect([tally.perClass[0], tally.failures]).toEqual([1, 1]);
});
