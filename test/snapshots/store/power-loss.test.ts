import { describe, expect, it } from "vitest";
import { replayPowerLoss } from "../../faults/power-loss.ts";
import { chosenSeed, seededRandom } from "../../faults/seeded-random.ts";
import { fillRoot } from "../../faults/staged-root.ts";
import { temporaryRoot } from "./temporary-root.ts";

/** Everything unsynced lost, everything kept but the bytes, and one draw between. */
const ROUNDS = 3;

describe("publishSnapshot, with the power cut after every operation", () => {
  const seed = chosenSeed();
  const again = `FAULTS_SEED=${seed}`;

  it("leaves the old version or the new one, whole, beside versions that are whole", async () => {
    const root = temporaryRoot();
    await fillRoot(root);
    const { broken, prefixes, states, oldVersion, newVersion } = await replayPowerLoss(
      root,
      ROUNDS,
      seededRandom(seed),
    );
    expect(broken, again).toEqual([]);
    expect(prefixes).toBeGreaterThan(50);
    expect(states).toBeGreaterThan(30);
    expect(oldVersion).toBeGreaterThan(0);
    expect(newVersion).toBeGreaterThan(0);
  });
});
