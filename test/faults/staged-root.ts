import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DAY_MS } from "../../snapshots/base/days.ts";
import { timestampOf } from "../../snapshots/format/ids.ts";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import { verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { readPointer, versionNames } from "../../snapshots/store/read/read-pointer.ts";
import { publishSnapshot } from "../../snapshots/store/write/publish-snapshot.ts";
import type { PublishResult } from "../../snapshots/store/write/publish-version.ts";
import { createSnapshotDisk, type SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { snapshotPlan } from "../support/published-set.ts";
import { EVERY_KIND_AS_OF_MS, everyKindSet } from "./every-kind-set.ts";

const SET = everyKindSet();

/** When the version under test is made: so late that the oldest of three before it is past its age. */
export const LATE_MS = EVERY_KIND_AS_OF_MS + 500 * DAY_MS;

/** Publishes the small set, or another one, as a run at `createdAtMs` would. */
export function publishOn(
  disk: SnapshotDisk,
  createdAtMs: number,
  set: PublishedSet = SET,
): Promise<PublishResult> {
  const source = {
    source_id: "archive",
    fetched_at: timestampOf(createdAtMs),
    spaces: 1,
    proposals: 9,
    votes: 9,
  };
  return publishSnapshot(snapshotPlan(set, createdAtMs, { sources: [source] }), disk);
}

/** The set with a few documents changed, so that some files are written and the rest linked. */
export function changedSet(): PublishedSet {
  const detail = SET.details.map((detail) => ({ ...detail, data_completeness: 42 }));
  return { ...SET, details: detail };
}

/**
 * A root in the state that has everything a publish may meet: three versions, staging of a run that was killed, and a
 * version that was named but never pointed at.
 */
export async function fillRoot(root: string): Promise<void> {
  for (const day of [1, 2, 3]) await publishOn(createSnapshotDisk(root), EVERY_KIND_AS_OF_MS + day * DAY_MS);
  const pointer = readFileSync(join(root, "current.json"));
  await publishOn(createSnapshotDisk(root), EVERY_KIND_AS_OF_MS + 4 * DAY_MS);
  writeFileSync(join(root, "current.json"), pointer);
  mkdirSync(join(root, ".staging-0123456789abcdef", "daos"), { recursive: true });
  writeFileSync(join(root, ".staging-0123456789abcdef", "daos", "half.json"), "{");
  copyFileSync(join(root, "current.json"), join(root, ".staging-0123456789abcdef.json"));
}

/** What is under a root that should not be: staging, and versions that nobody ever pointed at. */
export function litterIn(root: string): readonly string[] {
  if (!existsSync(root)) return [];
  const known = new Set(["current.json", "publish.lock", ...versionNames(readdirSync(root))]);
  return readdirSync(root).filter((name) => !known.has(name));
}

/** What is wrong with the current version, as lines; nothing is good. */
export async function wrongIn(root: string, isDeep = false): Promise<readonly string[]> {
  const { problems } = await verifySnapshot(root, { deep: isDeep });
  return problems.map(({ code, message }) => `current: ${code} ${message}`);
}

/** What is wrong with any version that has its name, the current one and those before it. */
export async function wrongInEach(root: string): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const version of versionNames(readdirSync(root))) {
    const { problems } = await verifySnapshot(root, { version });
    lines.push(...problems.map(({ code, message }) => `${version}: ${code} ${message}`));
  }
  return lines;
}

/** Publishes on a sound disk and says what is wrong after it: nothing may be in the way, and nothing left lying about. */
export async function wrongAfterNextRun(root: string): Promise<readonly string[]> {
  try {
    await publishOn(createSnapshotDisk(root), LATE_MS + DAY_MS);
  } catch (error) {
    return [`the next run does not work: ${String(error)}`];
  }
  const { problems, sequence } = await verifySnapshot(root);
  return [
    ...problems.map(({ code, message }) => `after the next run: ${code} ${message}`),
    ...litterIn(root).map((name) => `after the next run: ${name} lies about`),
    ...(readPointer(root).sequence === sequence ? [] : ["after the next run: the pointer is not its own"]),
  ];
}
