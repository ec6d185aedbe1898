import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { PATHS } from "../../../snapshots/format/paths.ts";
import { noIndexRows, renderIndex } from "../../../snapshots/store/write/build-index.ts";
import { type PublishResult, publishVersion } from "../../../snapshots/store/write/publish-version.ts";
import { type RenderedFile, renderedFile } from "../../../snapshots/store/write/render-documents.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";

// P7: so many documents made durable and readable as files, by publishing a version (staged, flushed, read back, named,
// pointed at) and by writing each the careful way (temporary file, fsync, rename, fsync of the folder), interleaved, the
// same bytes. Then the next day, on which one document in a hundred has changed: the careful way knows nothing of the day
// before, or is told what changed. `tsx test/bench/pipeline/publish.ts [DOCUMENTS] [ROUNDS] [FOLDER]`; the folder must
// lie on a disk, as a file system in memory flushes nothing.
const DOCUMENTS = Number(process.argv[2] ?? 10_000);
const ROUNDS = Number(process.argv[3] ?? 5);
const FOLDER = process.argv[4] ?? tmpdir();
const CHANGED_EVERY = 100;
const AS_OF = "2026-10-31T23:59:59.999Z";
const DAY_MS = 86_400_000;
const POINTS = 8;

/** A document of some 1,700 bytes, like a short history. */
function documentText(number: number, day: number): string {
  const points = Array.from({ length: POINTS }, (_, at) => ({
    date: `2026-10-${String(at + 10)}`,
    methodology_version: "1.0.0",
    gvs: ((number * 7 + at + day) % 1_000) / 100,
    components: { hpr: 5.25, dei: (number % 100) / 10, pdi: 6.5, gpi: 4.75 },
    risk_score: 41.5,
    data_completeness: 97.5,
    attention_sum: number / 7,
  }));
  return `${JSON.stringify({ space_id: `dao-${number}`, points })}\n`;
}

const index = renderIndex(noIndexRows());

/** The files of one day, hashed as they are taken. */
function* filesOf(day: number): Generator<RenderedFile> {
  for (let number = 0; number < DOCUMENTS; number += 1) {
    const dayOfText = number % CHANGED_EVERY === 0 ? day : 0;
    yield renderedFile(Buffer.from(documentText(number, dayOfText)), {
      path: PATHS.history(`dao-${number}`),
      records: 1,
      media_type: "application/json",
    });
  }
  yield index;
}

function publish(root: string, day: number): Promise<PublishResult> {
  const about = { methodology_version: "1.0.0", as_of: AS_OF, sources: [], replaces: null, redacted: false };
  const publication = {
    runId: day.toString(16).padStart(16, "0"),
    createdAtMs: Date.parse(AS_OF) + day * DAY_MS,
  };
  return publishVersion(publication, () => ({ about, files: filesOf(day) }), createSnapshotDisk(root));
}

function flushed(path: string): void {
  const descriptor = openSync(path, "r");
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Each file by itself, as one makes one file durable. */
function writeEach(root: string, files: Iterable<RenderedFile>): void {
  for (const { entry, bytes } of files) {
    const path = join(root, entry.path);
    mkdirSync(dirname(path), { recursive: true });
    const descriptor = openSync(`${path}.tmp`, "wx");
    writeSync(descriptor, bytes);
    fsyncSync(descriptor);
    closeSync(descriptor);
    renameSync(`${path}.tmp`, path);
    flushed(dirname(path));
  }
}

function* changedFilesOf(day: number): Generator<RenderedFile> {
  let number = 0;
  for (const file of filesOf(day)) if (number++ % CHANGED_EVERY === 0) yield file;
}

interface Spent {
  readonly wallMs: number;
  readonly processorMs: number;
}

async function spent(work: () => unknown): Promise<Spent> {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  await work();
  const { user, system } = process.cpuUsage(before);
  return { wallMs: performance.now() - startedMs, processorMs: (user + system) / 1000 };
}

const WAYS = ["ours", "each", "ours, day 2", "each, day 2", "each of the changed, day 2"] as const;
type Way = (typeof WAYS)[number];
const times = new Map<Way, Spent[]>(WAYS.map((way) => [way, []]));
const note = async (way: Way, work: () => unknown) => times.get(way)?.push(await spent(work));

const home = mkdtempSync(join(FOLDER, "govdata-publish-bench-"));
try {
  for (let round = 0; round < ROUNDS; round += 1) {
    const [ours, each, again] = ["ours", "each", "again"].map((name) => join(home, `${name}-${round}`));
    if (ours === undefined || each === undefined || again === undefined) throw new Error("no folders");
    await note("ours", () => publish(ours, 1));
    await note("each", () => writeEach(each, filesOf(1)));
    let linked = 0;
    await note("ours, day 2", async () => {
      linked = (await publish(ours, 2)).filesLinked;
    });
    // Documents whose number is a multiple have changed; the index has not.
    const changed = Math.ceil(DOCUMENTS / CHANGED_EVERY);
    if (linked !== DOCUMENTS + 1 - changed) throw new Error(`${linked} files were linked`);
    await note("each, day 2", () => writeEach(again, filesOf(2)));
    rmSync(again, { recursive: true });
    await note("each of the changed, day 2", () => writeEach(again, changedFilesOf(2)));
    for (const folder of [ours, each, again]) rmSync(folder, { recursive: true });
    const lines = WAYS.map((way) => `${way} ${((times.get(way)?.at(-1)?.wallMs ?? 0) / 1000).toFixed(2)} s`);
    process.stderr.write(`round ${round + 1}: ${lines.join(", ")}\n`);
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
const range = (values: readonly number[], digits: number) =>
  `${median(values).toFixed(digits)} (${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)})`;

process.stdout.write(`${DOCUMENTS} documents, ${ROUNDS} rounds: median (range)\n\n`);
process.stdout.write("| way | wall, s | processor, s | wall against ours, same day |\n|---|---|---|---|\n");
for (const way of WAYS) {
  const own = times.get(way) ?? [];
  const ours = times.get(way.endsWith("day 2") ? "ours, day 2" : "ours") ?? [];
  const ratios = own.map(({ wallMs }, round) => wallMs / (ours[round]?.wallMs ?? Number.NaN));
  const seconds = (of: (each: Spent) => number) =>
    range(
      own.map((each) => of(each) / 1000),
      2,
    );
  process.stdout.write(
    `| ${way} | ${seconds(({ wallMs }) => wallMs)} | ${seconds(({ processorMs }) => processorMs)} | ${range(ratios, 1)} |\n`,
  );
}
