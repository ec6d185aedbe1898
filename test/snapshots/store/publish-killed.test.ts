import { describe, expect, it } from "vitest";
import { runKillCampaign } from "../../faults/kill-campaign.ts";
import { chosenSeed, seededRandom } from "../../faults/seeded-random.ts";

const KILLS = 50;

describe("a publisher that is killed", () => {
  const seed = chosenSeed();

  it(`never leaves a reader a torn version or an older one, in ${KILLS} kills at random instants`, async () => {
    const tally = await runKillCampaign(KILLS, seededRandom(seed));
    const again = `FAULTS_SEED=${seed} ${JSON.stringify(tally)}`;
    expect(tally.torn, again).toEqual([]);
    expect(tally.rolledBack, again).toEqual([]);
    expect(tally.broken, again).toEqual([]);
    expect(tally.reads, again).toBeGreaterThan(20);
    expect(tally.midway, again).toBeGreaterThan(0);
    expect(tally.published, again).toBeGreaterThan(0);
  });
});
