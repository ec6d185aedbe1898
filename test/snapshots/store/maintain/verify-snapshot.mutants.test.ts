import { describe, expect, it } from "vitest";
import { runMutantCampaign } from "../../../faults/mutant-campaign.ts";
import { chosenSeed, seededRandom } from "../../../faults/seeded-random.ts";

const MUTANTS = 500;

describe("a version of which one file was spoilt", () => {
  const seed = chosenSeed();

  it(`is refused, or says the same: ${MUTANTS} mutants, some of them with every hash made to agree`, async () => {
    const tally = await runMutantCampaign(MUTANTS, seededRandom(seed));
    const again = `FAULTS_SEED=${seed} ${JSON.stringify(tally)}`;
    expect(tally.broken, again).toEqual([]);
    expect(tally.taken, again).toEqual([]);
    expect(tally.refusedByContent, again).toBeGreaterThan(50);
    expect(tally.refusedByHash, again).toBeGreaterThan(250);
    expect(tally.rssGrowthMb, again).toBeLessThan(400);
  });
});
