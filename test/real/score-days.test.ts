import { describe, expect, test } from "vitest";
import { expectDaysAlike, lastHeldMs } from "../support/compare-days.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";

const archive = realArchive();

describe.skipIf(archive === undefined)(
  `real days in one pass (${archive ? "archive found" : WITHOUT_REAL_DATA})`,
  () => {
    test.each([
      {
        why: "small proposals whose attention hangs on a scale that moves",
        space: "snapshot.dcl.eth",
        days: 365,
        every: 30,
      },
      { why: "clusters that come and go", space: "sushigov.eth", days: 180, every: 60 },
      { why: "a farm of two thousand wallets", space: "pancake", days: 40, every: 20 },
      { why: "a farm in a larger crowd", space: "aave.eth", days: 180, every: 60 },
      { why: "votes without times", space: "aave-governance-v3", days: 365, every: 90 },
    ])("$space: $why", async ({ space, days, every }) => {
      const { factsOf, entityIdOfWallet } = readArchive(archive ?? "");
      const facts = await factsOf(space);
      const asOfMs = lastHeldMs(facts) ?? 0;
      const scored = expectDaysAlike({ facts, asOfMs, days, aloneEvery: every, entityIdOfWallet });
      // Of the others a component is a gap on every day; their bits are compared all the same.
      if (space === "snapshot.dcl.eth") expect(scored).toBeGreaterThan(5);
    });
  },
);
