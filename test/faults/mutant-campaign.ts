import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { verifySnapshot } from "../../snapshots/store/maintain/verify-snapshot.ts";
import { openSnapshot } from "../../snapshots/store/read/open-snapshot.ts";
import { isSnapshotFailure } from "../../snapshots/store/read/snapshot-error.ts";
import { createSnapshotDisk } from "../../snapshots/store/write/snapshot-disk.ts";
import { currentDirectory, HOME, replaceFile, sealAgain } from "../snapshots/store/temporary-root.ts";
import { EVERY_KIND_AS_OF_MS, everyKindSet } from "./every-kind-set.ts";
import { MUTATIONS, mutateBytes } from "./mutate-bytes.ts";
import { publishOn } from "./staged-root.ts";

/** The files that a reader cannot do without. */
const OPENED: readonly string[] = ["current.json", "manifest.json", "index.sqlite"];

/** So many mutants get a new hash, size, manifest, name and pointer. */
const SEALED_SHARE = 0.3;

/** No mutant of a version of eighty kilobytes may keep a reader busy for longer. */
const SLOW_MS = 10_000;

interface Outcome {
  readonly problems: readonly string[];
  readonly broken: readonly string[];
}

/** Everything a reader does with a version, under a watch; anything thrown but a refusal is a crash. */
async function readWhole(root: string, isDeep: boolean, concernsOpening = true): Promise<Outcome> {
  const problems: string[] = [];
  const broken: string[] = [];
  try {
    const verification = await verifySnapshot(root, { deep: isDeep });
    problems.push(...verification.problems.map(({ code, message }) => `${code} ${message}`));
  } catch (error) {
    broken.push(`verify throws ${String(error)}`);
  }
  // What does not concern opening was refused above; to open the version would say nothing new.
  if (problems.length > 0 && !isDeep && !concernsOpening) return { problems, broken };
  try {
    const reader = await openSnapshot(root);
    try {
      reader.document("daos", "all");
      reader.document("dao", "varied.eth");
      reader.entityIdOfWallet("0x0000000000000000000000000000000000000001");
      reader.latestListing("varied.eth");
      reader.datedListing("varied.eth", "2025-06-29");
    } finally {
      reader.close();
    }
  } catch (error) {
    if (isSnapshotFailure(error)) problems.push(`${error.code} ${error.message}`);
    else broken.push(`opening throws ${String(error)}`);
  }
  const isTelling = problems.some((line) => line.includes(HOME));
  if (isTelling) broken.push("a problem names a path of the machine");
  return { problems, broken };
}

/**
 * Mutates the files of one version `count` times, one at a time, and reads it each time as a distrustful reader does. A
 * mutant is refused by hash, or if it was sealed again so that the parsers saw it, by its content; it is equal if nothing
 * changed, and consistent if it was sealed and is as true as what was there. Nothing may be taken or broken.
 */
export async function runMutantCampaign(count: number, random: () => number) {
  const home = mkdtempSync(join(HOME, "govdata-mutant-"));
  const root = join(home, "published");
  const tally = { mutants: 0, refusedByHash: 0, refusedByContent: 0, equal: 0, consistent: 0 };
  const [taken, broken] = [[] as string[], [] as string[]];
  let slowestMs = 0;
  try {
    const { manifest } = await publishOn(
      createSnapshotDisk(root),
      EVERY_KIND_AS_OF_MS + 3_600_001,
      everyKindSet(),
    );
    const names = ["current.json", "manifest.json", ...manifest.files.map((file) => file.path)];
    const pathOf = (name: string) => join(name === "current.json" ? root : currentDirectory(root), name);
    await readWhole(root, true);
    const rssBefore = process.memoryUsage.rss();
    for (let turn = 0; turn < count; turn += 1) {
      const pool = random() < 0.33 ? OPENED : names;
      const name = pool[Math.floor(random() * pool.length)] ?? "current.json";
      const mutation = MUTATIONS[Math.floor(random() * MUTATIONS.length)] ?? "flip";
      const before = readFileSync(pathOf(name));
      const mutant = mutateBytes(before, mutation, random);
      const isSealed = name !== "current.json" && random() < SEALED_SHARE;
      const path = pathOf(name);
      let sealed: ReturnType<typeof sealAgain> | undefined;
      replaceFile(path, mutant);
      if (isSealed) sealed = sealAgain(root, name);
      const startedMs = performance.now();
      const outcome = await Promise.race([readWhole(root, isSealed, OPENED.includes(name)), hang()]);
      slowestMs = Math.max(slowestMs, performance.now() - startedMs);
      sealed?.undo();
      replaceFile(path, before);
      tally.mutants += 1;
      const label = `mutant ${turn}: ${mutation} of ${name}${isSealed ? ", sealed" : ""}`;
      broken.push(...outcome.broken.map((line) => `${label}: ${line}`));
      if (mutant.equals(before)) tally.equal += 1;
      else if (outcome.problems.length === 0) {
        if (isSealed) tally.consistent += 1;
        else taken.push(label);
      } else if (isSealed) tally.refusedByContent += 1;
      else tally.refusedByHash += 1;
    }
    const after = await verifySnapshot(root, { deep: true });
    broken.push(...after.problems.map(({ message }) => `the last good one: ${message}`));
    const rssGrowthMb = (process.memoryUsage.rss() - rssBefore) / 2 ** 20;
    return { ...tally, slowestMs, rssGrowthMb, taken, broken };
  } finally {
    rmSync(home, { recursive: true, force: true });
  }
}

async function hang(): Promise<Outcome> {
  await sleep(SLOW_MS, undefined, { ref: false });
  return { problems: [], broken: [`it takes longer than ${SLOW_MS} ms`] };
}
