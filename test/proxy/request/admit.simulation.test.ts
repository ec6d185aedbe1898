import { describe, expect, it } from "vitest";
import type { Sabotage } from "../../faults/quota-simulated-proxy.ts";
import { simulateQuota } from "../../faults/quota-simulator.ts";
import { chosenSeed } from "../../faults/seeded-random.ts";

describe("admission, simulated", () => {
  it("never serves above the limit in force, whatever fails, ends or turns back", async () => {
    const seed = chosenSeed();
    const { broken, ...tally } = await simulateQuota({ runs: 25, steps: 60, seed });
    expect(broken, `FAULTS_SEED=${seed}`).toEqual([]);
    // A simulation in which nothing happens would prove nothing.
    expect(tally.served).toBeGreaterThan(150);
    expect(Math.min(tally.crashes, tally.faults, tally.refunds)).toBeGreaterThan(20);
    for (const situation of ["key-invalid", "quota-used-up", "quota-store-down"]) {
      expect(tally.refused[situation], situation).toBeGreaterThan(5);
    }
  });

  it.each<{ why: string; sabotage: Sabotage; says: RegExp }>([
    {
      why: "who waits is released although the commit failed",
      sabotage: "grants-without-commit",
      says: /released before a commit|above|only \d+ counted/,
    },
    { why: "a unit is given back that was used", sabotage: "forgets-a-unit", says: /served/ },
    { why: "the remainder falls below nothing", sabotage: "negative-remainder", says: /fewer than none/ },
  ])("notices when $why", async ({ sabotage, says }) => {
    const { broken } = await simulateQuota({ runs: 6, steps: 60, seed: 1, sabotage });
    expect(broken.join("\n")).toMatch(says);
  });
});
