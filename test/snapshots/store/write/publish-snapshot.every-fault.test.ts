import { beforeAll, describe, expect, it } from "vitest";
import { runFaultCampaign } from "../../../faults/fault-campaign.ts";
import { FAULT_CODES, OPERATION_KINDS } from "../../../faults/faulty-disk.ts";
import { replayPowerLoss } from "../../../faults/power-loss.ts";
import { chosenSeed, seededRandom } from "../../../faults/seeded-random.ts";
import { fillRoot } from "../../../faults/staged-root.ts";
import { sharedRoot } from "../temporary-root.ts";

/** Beyond the first of a kind every second n is tried, by the seed the odd ones or the even. */
const ALL_UP_TO = 4;

/** One code for each n, so that every code meets every kind; the long run tries all of them at every n. */
const inTurn = (half: number) => (kind: (typeof OPERATION_KINDS)[number], nth: number) => {
  if (nth > ALL_UP_TO && nth % 2 === half) return [];
  const code = FAULT_CODES[(OPERATION_KINDS.indexOf(kind) + nth) % FAULT_CODES.length];
  return code === undefined ? [] : [code];
};

/** Everything unsynced lost, all but the newest name lost, names without bytes, and one random draw. */
const ROUNDS = 4;

describe("publishing into a root with versions, staging and an abandoned version", () => {
  const seed = chosenSeed();
  let root: string;

  beforeAll(async () => {
    const shared = sharedRoot();
    root = shared.root;
    await fillRoot(root);
    return shared.remove;
  });

  it("leaves it whole whatever operation fails, says why, and tidies up the next time", async () => {
    const { broken, byKind, faults, refused } = await runFaultCampaign(root, inTurn(seed % 2));
    expect(broken).toEqual([]);
    expect([...byKind.keys()]).toEqual([...OPERATION_KINDS]);
    expect(byKind.get("link")).toBeGreaterThan(5);
    expect(byKind.get("syncDirectory")).toBeGreaterThan(10);
    expect(refused).toBeGreaterThan(faults / 2);
  });

  it("leaves the old version or the new one after whatever operation the power is cut", async () => {
    const tally = await replayPowerLoss(root, ROUNDS, seededRandom(seed));
    const again = `FAULTS_SEED=${seed}`;
    expect(tally.broken, again).toEqual([]);
    expect(tally.prefixes).toBeGreaterThan(50);
    expect(tally.states).toBeGreaterThan(20);
    expect(tally.oldVersion).toBeGreaterThan(0);
    expect(tally.newVersion).toBeGreaterThan(0);
  });
});

it("has published a first version for good once it says so, wherever the power was cut before", async () => {
  const { broken, newVersion } = await replayPowerLoss(undefined, 2, Math.random);
  expect(broken).toEqual([]);
  expect(newVersion).toBeGreaterThan(0);
});
