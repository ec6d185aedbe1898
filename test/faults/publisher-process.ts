import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import { isSnapshotFailure } from "../../snapshots/store/read/snapshot-error.ts";
import { publishSnapshot } from "../../snapshots/store/write/publish-snapshot.ts";
import type { SnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { snapshotPlan } from "../support/published-set.ts";
import { watchDisk } from "./faulty-disk.ts";

// A publisher in a process of its own, to be killed, starved and set against another. It says `ready`, waits for a line
// `times firstMs stepMs [nth]`, publishes so many versions one after the other, and says how each ended, and `reached` when the
// nth operation on its disk begins.
const [root = "", setPath = ""] = process.argv.slice(2);
const set: PublishedSet = JSON.parse(readFileSync(setPath, "utf8"));

async function publishOne(disk: SnapshotDisk, createdAtMs: number): Promise<string> {
  // Not the same twice: some files must be written, and the rest linked.
  const details = set.details.map((detail) => ({
    ...detail,
    data_completeness: Math.floor(createdAtMs / 1000) % 100,
  }));
  const changed = { ...set, details };
  const plan = snapshotPlan(changed, createdAtMs);
  try {
    const { sequence } = await publishSnapshot(plan, disk);
    return `published ${sequence}`;
  } catch (error) {
    if (!isSnapshotFailure(error)) throw error;
    return `${error.code} ${error.message}`;
  }
}

process.stdout.write("ready\n");
for await (const line of createInterface({ input: process.stdin })) {
  const [times = 0, firstMs = 0, stepMs = 0, awaited] = line.split(" ").map(Number);
  let nth = 0;
  const disk = watchDisk(root, () => {
    nth += 1;
    if (nth === awaited) process.stdout.write("reached\n");
    return {};
  });
  for (let turn = 0; turn < times; turn += 1) {
    process.stdout.write(`${await publishOne(disk, firstMs + turn * stepMs)}\n`);
  }
  process.stdout.write("done\n");
}
