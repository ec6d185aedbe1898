import { describe, expect, it } from "vitest";
import { canMountSmallDisk, fillDisks } from "../../../faults/full-disk.ts";
import { runKillCampaign } from "../../../faults/kill-campaign.ts";
import { chosenSeed, seededRandom } from "../../../faults/seeded-random.ts";
import { raceTwoPublishers } from "../../../faults/two-publishers.ts";

const KILLS = 20;
const TIMES = 6;

describe("publishers in processes of their own", () => {
  const seed = chosenSeed();

  it(`never leave a reader a torn version or an older one, in ${KILLS} kills at random instants`, async () => {
    const tally = await runKillCampaign(KILLS, seededRandom(seed));
    const again = `FAULTS_SEED=${seed} ${JSON.stringify(tally)}`;
    expect(tally.torn, again).toEqual([]);
    expect(tally.rolledBack, again).toEqual([]);
    expect(tally.broken, again).toEqual([]);
    expect(tally.reads, again).toBeGreaterThan(5);
    expect(tally.midway, again).toBeGreaterThan(0);
    expect(tally.published, again).toBeGreaterThan(0);
  });

  it("are let through one at a time, and the other is refused in plain words", async () => {
    const { broken, locked, published, sequence } = await raceTwoPublishers(TIMES);
    expect(broken).toEqual([]);
    expect(published.length + locked).toBe(2 * TIMES);
    expect(published).toEqual(Array.from({ length: sequence }, (_, at) => at + 1));
  });

  // Linux, and a user who may make namespaces; elsewhere a failing write stands for a full disk (publish-every-fault).
  it.runIf(canMountSmallDisk())(
    "leave the old version whole on a full disk, say so, and go on once there is room",
    async () => {
      const tally = await fillDisks([520], 4);
      expect(tally.broken).toEqual([]);
      expect(tally.full).toBeGreaterThan(0);
      expect(tally.published).toBeGreaterThan(1);
    },
  );
});
