import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type CastPower,
  quorumOf,
  sumOfPower,
  VOTE_OPTIONS,
} from "../../../../pipeline/sources/upstream/cast-power.ts";

const CAST: CastPower = { for: 50n, against: 30n, abstain: 20n, other: 0n };
const UNKNOWN = { quorum: undefined, quorumPower: undefined };

test.each([
  { why: "Bravo: votes for only", options: ["for"], want: { quorum: 60, quorumPower: 50 } },
  {
    why: "OpenZeppelin: abstentions too",
    options: ["for", "abstain"],
    want: { quorum: 60, quorumPower: 70 },
  },
  { why: "high: all that is cast", options: VOTE_OPTIONS, want: { quorum: 60, quorumPower: 100 } },
  {
    why: "low: nobody voted for",
    options: ["for"],
    power: { for: 0n },
    want: { quorum: 60, quorumPower: 0 },
  },
  { why: "none is required", amount: 0n, options: ["for"], want: { quorum: 0, quorumPower: 50 } },
  { why: "unknown: how much is required", amount: undefined, options: ["for"], want: UNKNOWN },
  { why: "unknown: what counts", options: undefined, want: UNKNOWN },
  { why: "unknown: what some power was cast for", options: ["for"], power: { other: 1n }, want: UNKNOWN },
] as const)("a quorum of 60: $why", ({ options, want, ...rest }) => {
  const { amount, power } = { amount: 60n, power: {}, ...rest };
  expect(quorumOf(amount, { ...CAST, ...power }, options, 0)).toEqual(want);
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
