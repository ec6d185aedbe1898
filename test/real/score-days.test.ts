import { describe, expect, test } from "vitest";
import { expectDaysAlike, lastHeldMs } from "../support/compare-days.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";

const archive = realArchive();
const HAS_POWER: ReadonlySet<string> = new Set(["snapshot.dcl.eth", "aave-governance-v3"]);

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
      { why: "no power on any ballot", space: "sushigov.eth", days: 180, every: 60 },
      { why: "a thousand proposals", space: "pancake", days: 40, every: 20 },
      { why: "thousands of voters", space: "aave.eth", days: 180, every: 60 },
      { why: "votes without times", space: "aave-governance-v3", days: 365, every: 90 },
    ])("$space: $why", async ({ space, days, every }) => {
      const { factsOf, entityIdOfWallet } = readArchive(archive ?? "");
      const facts = await factsOf(space);
      const asOfMs = lastHeldMs(facts) ?? 0;
      const scored = expectDaysAlike({ facts, asOfMs, days, aloneEvery: every, entityIdOfWallet });
      // Without power only an interval is known on every day; its bits are compared all the same.
      if (HAS_POWER.has(space)) expect(scored).toBeGreaterThan(3);
    });
  },
);
