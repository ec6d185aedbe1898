import { readdirSync } from "node:fs";
import { beforeAll, describe, expect, it } from "vitest";
import { verifySnapshot } from "../../../../snapshots/store/maintain/verify-snapshot.ts";
import { readPointer } from "../../../../snapshots/store/read/read-pointer.ts";
import { publishSnapshot } from "../../../../snapshots/store/write/publish-snapshot.ts";
import { createSnapshotDisk, type SnapshotDisk } from "../../../../snapshots/store/write/snapshot-disk.ts";
import { runFaultCampaign } from "../../../faults/fault-campaign.ts";
import { FAULT_CODES, OPERATION_KINDS, systemError } from "../../../faults/faulty-disk.ts";
import { canMountSmallDisk, fillDisks } from "../../../faults/full-disk.ts";
import { runKillCampaign } from "../../../faults/kill-campaign.ts";
import { replayPowerLoss } from "../../../faults/power-loss.ts";
import { chosenSeed, seededRandom } from "../../../faults/seeded-random.ts";
import { fillRoot } from "../../../faults/staged-root.ts";
import { FIXTURE_AS_OF_MS, publishedSet, runReport, snapshotPlan } from "../../../support/published-set.ts";
import { publishedRoot, sharedRoot } from "../temporary-root.ts";

const LATER_MS = FIXTURE_AS_OF_MS + 86_400_000;
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

it("makes a first version whole or not at all, whatever operation fails", async () => {
  const { broken, refused } = await runFaultCampaign(undefined, inTurn(0));
  expect(broken).toEqual([]);
  expect(refused).toBeGreaterThan(20);
});

it("has published a first version for good once it says so, wherever the power was cut before", async () => {
  const { broken, newVersion } = await replayPowerLoss(undefined, 2, Math.random);
  expect(broken).toEqual([]);
  expect(newVersion).toBeGreaterThan(0);
});

const KILLS = 20;

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

  // Linux, and a user who may make namespaces; elsewhere a failing write stands for a full disk.
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

describe("a disk that is not as it says", () => {
  it("writes a copy where the file system has no links", async () => {
    const root = await publishedRoot();
    const real = createSnapshotDisk(root);
    const disk = { ...real, link: () => Promise.reject(systemError("EIO", "link")) };
    const published = await publishSnapshot(snapshotPlan(publishedSet(), LATER_MS), disk);
    expect(published.filesLinked).toBe(0);
    expect((await verifySnapshot(root, { deep: true })).problems).toEqual([]);
  });

  it.each([
    { why: "of a small file", message: "a line" },
    { why: "of one that is not read whole", message: "x".repeat(9e6) },
  ])(
    "finds out before anybody can read it that the disk kept other bytes than it was given: $why",
    async ({ message }) => {
      const root = await publishedRoot();
      const real = createSnapshotDisk(root);
      const disk: SnapshotDisk = {
        ...real,
        async create(path) {
          const file = await real.create(path);
          const isVictim = path.endsWith("run.json");
          return {
            ...file,
            write: (bytes) => file.write(isVictim ? Buffer.from(bytes).fill("x", 0, 1) : bytes),
          };
        },
      };
      const set = publishedSet();
      const rejected = [{ space_id: null, file: "votes", line: 1, code: "BAD_JSON", message }];
      const report = () => ({ ...runReport(set, LATER_MS), rejected });
      await expect(publishSnapshot(snapshotPlan(set, LATER_MS, { report }), disk)).rejects.toMatchObject({
        code: "PUBLISH_FAILED",
        message: expect.stringContaining("run.json: does not have the SHA-256 expected") as string,
      });
      expect(readPointer(root).sequence).toBe(1);
      expect(readdirSync(root)).toHaveLength(3);
    },
  );
});
