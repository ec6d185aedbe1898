import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type CastPower,
  quorumOf,
  sumOfPower,
  VOTE_OPTIONS,
  type VoteOption,
} from "../../../../pipeline/sources/upstream/cast-power.ts";

const CAST: CastPower = { for: 50n, against: 30n, abstain: 20n, other: 0n };
const UNKNOWN = { quorum: undefined, quorumPower: undefined };

test.each<
  [why: string, options: readonly VoteOption[] | undefined, want: object, power?: object, amount?: bigint]
>([
  ["Bravo: votes for only", ["for"], { quorum: 60, quorumPower: 50 }],
  ["OpenZeppelin: abstentions too", ["for", "abstain"], { quorum: 60, quorumPower: 70 }],
  ["high: all that is cast", VOTE_OPTIONS, { quorum: 60, quorumPower: 100 }],
  ["low: nobody voted for", ["for"], { quorum: 60, quorumPower: 0 }, { for: 0n }],
  ["none is required", ["for"], { quorum: 0, quorumPower: 50 }, {}, 0n],
  ["unknown: what counts", undefined, UNKNOWN],
  ["unknown: what some power was cast for", ["for"], UNKNOWN, { other: 1n }],
])("a quorum of 60: %s", (_why, options, want, power = {}, amount = 60n) => {
  expect(quorumOf(amount, { ...CAST, ...power }, options, 0)).toEqual(want);
});

test("a quorum is unknown where nobody knows how much is required", () => {
  expect(quorumOf(undefined, CAST, ["for"], 0)).toEqual(UNKNOWN);
});

test("never more counts than was cast, and power against changes nothing where it does not count", () => {
  const amount = fc.bigInt({ min: 0n, max: 10n ** 40n });
  const cast = fc.record({ for: amount, against: amount, abstain: amount, other: fc.constant(0n) });
  fc.assert(
    fc.property(cast, fc.subarray([...VOTE_OPTIONS]), fc.nat(30), (power, options, decimals) => {
      const { quorumPower } = quorumOf(1n, power, options, decimals);
      expect(quorumPower).toBeLessThanOrEqual(Number(`${sumOfPower(power)}e-${decimals}`));
      const without = quorumOf(1n, { ...power, against: 0n }, options, decimals).quorumPower ?? 0;
      if (options.includes("against")) expect(quorumPower).toBeGreaterThanOrEqual(without);
      else expect(quorumPower).toBe(without);
    }),
  );
});
