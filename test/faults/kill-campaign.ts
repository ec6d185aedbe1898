import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { HOME } from "../snapshots/store/temporary-root.ts";
import { compileCopy } from "../support/compiled-copy.ts";
import { type Child, startChild } from "./child.ts";
import { EVERY_KIND_AS_OF_MS, everyKindSet } from "./every-kind-set.ts";
import { watchDisk } from "./faulty-disk.ts";
import { litterIn, publishOn, wrongIn, wrongInEach } from "./staged-root.ts";

/** So far apart that the fourth version makes the first too old: deleting is under way in some of the kills. */
const STEP_MS = 150 * 86_400_000;

/** Publishers that are loaded and wait, so that killing one never waits for the next to start. */
const READY_AHEAD = 2;

/** Kills fall within the operations of a first version and so many later ones, however long the machine takes for them. */
const VERSIONS_IN_REACH = 2;

/** The version from which each publish also deletes one. */
const STEADY_FROM = 5;

function nextMs(root: string): number {
  const isThere = existsSync(join(root, "current.json"));
  return (isThere ? Date.parse(readPointer(root).published_at) : EVERY_KIND_AS_OF_MS) + STEP_MS;
}

/**
 * How many operations on the disk the versions in reach take: the first, which links no file, and some once there are old
 * ones to delete. Without the first, all kills could fall before anything is published.
 */
async function countReach(root: string): Promise<number> {
  let total = 0;
  const disk = watchDisk(root, () => {
    total += 1;
    return {};
  });
  const publish = (nth: number) => publishOn(disk, EVERY_KIND_AS_OF_MS + nth * STEP_MS);
  await publish(1);
  const first = total;
  for (let nth = 2; nth < STEADY_FROM; nth += 1) await publish(nth);
  const before = total;
  for (let nth = 0; nth < VERSIONS_IN_REACH; nth += 1) await publish(STEADY_FROM + nth);
  return first + total - before;
}

async function killAtOperation(child: Child, root: string, nth: number): Promise<void> {
  child.say(`1000 ${nextMs(root)} ${STEP_MS} ${nth}`);
  for (let line = "published"; line !== "reached"; line = await child.nextLine()) {
    if (!line.startsWith("published")) throw new Error(`a publisher that nobody harmed says: ${line}`);
  }
  child.process.kill("SIGKILL");
  await child.ended;
}

/**
 * Kills a publisher `kills` times at operations on its disk that `random` draws, while a reader verifies whole versions.
 * A kill was midway if it left staging or an unnamed pointer behind.
 */
export async function runKillCampaign(kills: number, random: () => number) {
  const home = mkdtempSync(join(HOME, "govdata-kill-"));
  const root = join(home, "published");
  const setPath = join(home, "set.json");
  writeFileSync(setPath, JSON.stringify(everyKindSet()));
  const publisher = compileCopy(join(import.meta.dirname, "publisher-process.ts"));
  const readerCopy = compileCopy(join(import.meta.dirname, "reader-process.ts"));
  const waiting: Child[] = [];
  const startOne = () => void waiting.push(startChild([publisher, root, setPath]));
  const reader = startChild([readerCopy, root]);
  const broken: string[] = [];
  let midway = 0;
  try {
    await reader.nextLine();
    const reach = await countReach(join(home, "counted"));
    for (let ahead = 0; ahead < Math.min(READY_AHEAD, kills); ahead += 1) startOne();
    for (let kill = 0; kill < kills; kill += 1) {
      const child = waiting.shift();
      if (child === undefined) throw new Error("no publisher waits");
      await child.nextLine();
      if (kill + READY_AHEAD < kills) startOne();
      await killAtOperation(child, root, 1 + Math.floor(random() * reach));
      if (existsSync(root) && litterIn(root).length > 0) midway += 1;
      if (existsSync(join(root, "current.json"))) {
        const { problems } = await verifySnapshot(root);
        broken.push(...problems.map(({ message }) => `after kill ${kill + 1}: ${message}`));
      }
    }
    const last = await publishOn(createSnapshotDisk(root), Date.parse("9000-01-01T00:00:00.000Z"));
    broken.push(
      ...litterIn(root).map((name) => `${name} lies about at the end`),
      ...(await wrongIn(root, true)),
      ...(await wrongInEach(root)),
    );
    reader.process.stdin?.end();
    const seen = JSON.parse(await reader.nextLine());
    if (readdirSync(root).length > 40) broken.push("old versions pile up");
    return {
      kills,
      midway,
      published: last.sequence - 1,
      reads: seen.reads,
      versionsSeen: seen.sequences,
      torn: seen.torn,
      rolledBack: seen.rolledBack,
      broken,
    };
  } finally {
    for (const child of [...waiting, reader]) child.process.kill("SIGKILL");
    rmSync(home, { recursive: true, force: true });
  }
}
