import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PublishedSet } from "../../snapshots/format/published-set.ts";
import { verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { readPointer } from "../../snapshots/store/read/read-pointer.ts";
import { isSnapshotFailure } from "../../snapshots/store/read/snapshot-error.ts";
import { publishSnapshot } from "../../snapshots/store/write/publish-snapshot.ts";
import { createSnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { snapshotPlan } from "../support/published-set.ts";

// Publishes onto a small disk until it is full and beyond, makes room, and publishes once more; says what it saw as
// one line of JSON.
const [root = "", setPath = "", times = "0"] = process.argv.slice(2);
const set: PublishedSet = JSON.parse(readFileSync(setPath, "utf8"));
const startMs = Date.parse(set.asOf) + 3_600_001;
const tally = { published: 0, full: 0, broken: [] as string[] };

// A reserve that can be given back: what an operator does who deletes something else.
const reserve = join(dirname(root), "reserve");
writeFileSync(reserve, Buffer.alloc(200 * 1024));

async function publishOne(turn: number): Promise<string> {
  const createdAtMs = startMs + turn * 1000;
  // Everything changes each time, so that nothing can be linked and room is really needed.
  const details = set.details.map((detail) => ({ ...detail, name: `${detail.name} ${turn}` }));
  const daos = set.daos.map((dao) => ({ ...dao, name: `${dao.name} ${turn}` }));
  const changed = { ...set, details, daos };
  try {
    await publishSnapshot(snapshotPlan(changed, createdAtMs), createSnapshotDisk(root));
    return "published";
  } catch (error) {
    if (isSnapshotFailure(error)) return `${error.code} ${error.message}`;
    return `throws ${String(error)}`;
  }
}

const sequenceNow = () => (existsSync(join(root, "current.json")) ? readPointer(root).sequence : 0);

async function look(before: number, said: string): Promise<void> {
  const isPublished = said === "published";
  const isFull = /^PUBLISH_FAILED could not .*\((ENOSPC|SQLITE_FULL|SQLITE_IOERR.*|SQLITE_CANTOPEN)\)$/.test(
    said,
  );
  if (isPublished) tally.published += 1;
  else if (isFull) tally.full += 1;
  else tally.broken.push(said);
  if (sequenceNow() !== before + (isPublished ? 1 : 0))
    tally.broken.push(`the pointer went to ${sequenceNow()}`);
  if (sequenceNow() === 0) return;
  const { problems } = await verifySnapshot(root, { deep: true });
  tally.broken.push(...problems.map(({ message }) => message));
}

for (let turn = 0; turn < Number(times); turn += 1) {
  const before = sequenceNow();
  await look(before, await publishOne(turn));
}
truncateSync(reserve, 0);
rmSync(reserve);
const before = sequenceNow();
const said = await publishOne(Number(times));
await look(before, said);
if (said !== "published") tally.broken.push(`with room again: ${said}`);
const litter = readdirSync(root).filter((name) => name.startsWith("."));
tally.broken.push(...litter.map((name) => `${name} lies about`));
process.stdout.write(`${JSON.stringify(tally)}\n`);
