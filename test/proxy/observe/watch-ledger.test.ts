import { expect, it } from "vitest";
import { BATCH_BOUNDS, createQuotaTally, watchLedger } from "../../../proxy/observe/watch-ledger.ts";

const of = (...units: readonly number[]) => units.map((each) => ({ units: each }));

it("counts commits by their units and failures when they have ended, and changes nothing about either", async () => {
  let isBroken = false;
  const tally = createQuotaTally();
  const ledger = watchLedger(
    {
      settle: async (asked: readonly unknown[], returned: readonly unknown[]) => {
        if (isBroken) throw new Error("disk I/O error");
        return asked.length - returned.length;
      },
      close: () => "closed",
    },
    tally,
  );
  const first = ledger.settle(of(1), []);
  expect(tally.perClass.every((count) => count === 0)).toBe(true);
  expect(await first).toBe(1);
  expect(await ledger.settle(of(1, 1), of(1))).toBe(1);
  expect(await ledger.settle(of(200, 100), [])).toBe(2);
  expect([tally.units, tally.failures]).toEqual([304, 0]);
  expect(tally.perClass).toHaveLength(BATCH_BOUNDS.length + 1);
  expect(tally.perClass.flatMap((count, at) => (count > 0 ? [[at, count]] : []))).toEqual([
    [0, 1],
    [2, 1],
    [BATCH_BOUNDS.length, 1],
  ]);
  isBroken = true;
  await expect(ledger.settle(of(1), [])).rejects.toThrow("disk I/O error");
  expect([tally.units, tally.failures]).toEqual([304, 1]);
  expect(ledger.close()).toBe("closed");
});
