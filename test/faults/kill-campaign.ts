import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { createSnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { HOME } from "../snapshots/store/temporary-root.ts";
import { compileCopy } from "../support/compiled-copy.ts";
import { type Child, startChild } from "./child.ts";
import { EVERY_KIND_AS_OF_MS, everyKindSet } from "./every-kind-set.ts";
import { litterIn, publishOn, wrongIn, wrongInEach } from "./staged-root.ts";

/** What killing a publisher again and again came to. */
export interface KillTally {
  readonly kills: number;
  /** Kills that left staging or an unnamed pointer behind, so that it was really in the middle. */
  readonly midway: number;
  readonly published: number;
  readonly reads: number;
  readonly versionsSeen: number;
  readonly torn: readonly string[];
  readonly rolledBack: readonly string[];
  readonly broken: readonly string[];
}

/** So far apart that the fourth version makes the first too old: deleting is under way in some of the kills. */
const STEP_MS = 150 * 86_400_000;

/** How often the reach is measured anew. */
const MEASURED_EVERY = 50;

/** Publishers that are loaded and wait, so that killing one never waits for the next to start. */
const READY_AHEAD = 2;

/** Kills fall within the time in which a publisher that was just started makes so many versions. */
const VERSIONS_IN_REACH = 2;

function nextMs(root: string): number {
  const isThere = existsSync(join(root, "current.json"));
  return (isThere ? Date.parse(readPointer(root).published_at) : EVERY_KIND_AS_OF_MS) + STEP_MS;
}

/** How long a fresh publisher takes here and now for the versions in reach: the machine may be busy with something else. */
async function measureReachMs(child: Child, root: string): Promise<number> {
  const startedMs = performance.now();
  child.say(`${VERSIONS_IN_REACH} ${nextMs(root)} ${STEP_MS}`);
  for (let line = "published"; line !== "done"; line = await child.nextLine()) {
    if (!line.startsWith("published")) throw new Error(`a publisher that nobody harmed says: ${line}`);
  }
  return performance.now() - startedMs;
}

async function killAfter(child: Child, root: string, delayMs: number): Promise<void> {
  child.say(`1000 ${nextMs(root)} ${STEP_MS}`);
  await sleep(delayMs);
  child.process.kill("SIGKILL");
  await child.ended;
}

/** Kills a publisher `kills` times at moments that `random` draws, while a reader verifies whole versions. */
export async function runKillCampaign(kills: number, random: () => number): Promise<KillTally> {
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
  let [midway, reachMs] = [0, 0];
  try {
    await reader.nextLine();
    for (let ahead = 0; ahead < Math.min(READY_AHEAD, kills); ahead += 1) startOne();
    for (let kill = 0; kill < kills; kill += 1) {
      const child = waiting.shift();
      if (child === undefined) throw new Error("no publisher waits");
      await child.nextLine();
      if (kill + READY_AHEAD < kills) startOne();
      // Now and then one is let through to measure, and killed when it has nothing more to do.
      if (kill % MEASURED_EVERY === 0) reachMs = await measureReachMs(child, root);
      await killAfter(child, root, random() * reachMs);
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
