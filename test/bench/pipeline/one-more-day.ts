import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { byMonth } from "../../../snapshots/format/delegate-months.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import { addIndexRows, noIndexRows, renderIndex } from "../../../snapshots/store/write/build-index.ts";
import { publishVersion } from "../../../snapshots/store/write/publish-version.ts";
import { type RenderedFile, renderDocument } from "../../../snapshots/store/write/render-documents.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import { datedListing, publishedSet } from "../../support/published-set.ts";

// What one more day costs where 365 dated listings of each DAO are kept: files and bytes written, wall and processor time
// of publishing them, against the first publish of all. `tsx test/bench/pipeline/one-more-day.ts [DAOS] [DAYS] [FOLDER]`;
// the folder must lie on a disk, as a file system in memory flushes nothing.
const [daos = 20, days = 365] = process.argv.slice(2, 4).map(Number);
const FOLDER = process.argv[4] ?? tmpdir();
const DAY_MS = 86_400_000;
const FIRST_MS = Date.parse("2025-10-31T00:00:00Z");

const [{ latest }] = publishedSet().listings as [ReturnType<typeof publishedSet>["listings"][number]];

/** The dated listings of every DAO on so many days, as the files and the index that a run makes of them. */
function* filesOf(count: number): Generator<RenderedFile> {
  const rows = noIndexRows();
  const version = { methodology_version: "1.0.0", as_of: "2026-10-31T23:59:59.999Z", certainty: new Map() };
  for (let number = 0; number < daos; number += 1) {
    const id = `dao-${String(number).padStart(4, "0")}.eth`;
    const dated = Array.from({ length: count }, (_, day) => {
      // No two days are alike, as no two days of a DAO are.
      const delegates = latest.delegates.map((row) => ({ ...row, votes_human: row.votes_human + day / 128 }));
      return datedListing(dayOf(FIRST_MS + day * DAY_MS), { ...latest, dao: id, delegates });
    });
    const bytes = new Map<string, Buffer>();
    for (const { month, days: own } of byMonth(dated)) {
      const path = PATHS.delegateMonth(id, month);
      const value = own.map(({ listing }) => listing);
      const file = renderDocument({ kind: "delegateMonth", id, month, path, value });
      bytes.set(path, file.bytes);
      yield file;
    }
    const path = PATHS.delegateDays(id);
    const value = dated.map(({ listing: _, ...day }) => day);
    const table = { kind: "delegateDays", id, month: "", path, value } as const;
    yield renderDocument(table);
    addIndexRows(rows, version, table, (of) => bytes.get(of) ?? Buffer.alloc(0));
  }
  yield renderIndex(rows);
}

async function publish(root: string, count: number) {
  const before = process.cpuUsage();
  const startedMs = performance.now();
  const about = { methodology_version: "1.0.0", as_of: "2026-10-31T23:59:59.999Z", sources: [] };
  const createdAtMs = FIRST_MS + count * DAY_MS;
  const result = await publishVersion(
    { runId: count.toString(16).padStart(16, "0"), createdAtMs },
    () => ({ about: { ...about, replaces: null, redacted: false }, files: filesOf(count) }),
    createSnapshotDisk(root),
  );
  const { user, system } = process.cpuUsage(before);
  const written = result.manifest.files.filter(
    ({ path }) => statSync(join(root, result.version, path)).nlink === 1,
  );
  return {
    files: result.manifest.files.length,
    written: result.filesWritten,
    linked: result.filesLinked,
    megabytes: written.reduce((sum, { bytes }) => sum + bytes, 0) / 1e6,
    wallS: (performance.now() - startedMs) / 1000,
    processorS: (user + system) / 1e6,
  };
}

const home = mkdtempSync(join(FOLDER, "govdata-one-more-day-"));
try {
  const root = join(home, "published");
  const [all, one] = [await publish(root, days), await publish(root, days + 1)];
  const cell = (value: number) => (Number.isInteger(value) ? String(value) : value.toFixed(2));
  const rows = (["files", "written", "linked", "megabytes", "wallS", "processorS"] as const).map(
    (key) =>
      `| ${key} | ${cell(all[key])} | ${cell(one[key])} | ${all[key] === 0 ? "–" : cell(one[key] / all[key])} |`,
  );
  process.stdout.write(
    `${[`| ${daos} DAOs | the first ${days} days | one day more | ratio |`, "|---|---|---|---|", ...rows].join("\n")}\n`,
  );
} finally {
  rmSync(home, { recursive: true, force: true });
}
