import { type BigIntStats, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../../base/failure.ts";
import { isSqliteError, openSqlite, readStamp, type SqliteDatabase } from "../../base/sqlite.ts";
import { identifyFile } from "../../format/documents.ts";
import type { Manifest, ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { INDEX_PAGE_BYTES, INDEX_STAMP, INDEX_TABLES } from "./index-schema.ts";
import { manifestFile } from "./locate-version.ts";
import { invalidFile, isSnapshotFailure, type SnapshotFailure } from "./snapshot-error.ts";
import { openFile, requireContent } from "./verified-file.ts";

/** The first bytes of an index: SQLite 3, our page size, and a rollback journal (write and read version 1). */
const HEADER = Buffer.concat([
  Buffer.from("SQLite format 3\0", "latin1"),
  Buffer.from([INDEX_PAGE_BYTES >> 8, INDEX_PAGE_BYTES & 0xff, 1, 1]),
]);

export type OpenIndex = ReturnType<typeof readerOf>;

/** Opens the index of a version read-only, after verifying it against the manifest; throws `SnapshotFailure`. */
export async function openIndex(directory: string, manifest: Manifest): Promise<OpenIndex> {
  return openVerified(directory, manifestFile(manifest, PATHS.index), manifest);
}

/** Opens an index that was checked before. Checks its bytes only if the trace has changed. Throws `SnapshotFailure`. */
export function reopenIndex(directory: string, entry: ManifestFile, trace: string): Promise<OpenIndex> {
  return openVerified(directory, entry, { trace });
}

async function openVerified(
  directory: string,
  entry: ManifestFile,
  known: Pick<Manifest, "files"> | { readonly trace: string },
): Promise<OpenIndex> {
  const handle = await openFile(directory, entry);
  let database: SqliteDatabase | undefined;
  try {
    // Before the bytes are read, so that a change in between is noticed the next time.
    const stat = await handle.stat({ bigint: true });
    const isSame = "trace" in known && traceOf(stat) === known.trace;
    if (!isSame) await requireContent(handle, entry);
    // Checked before SQLite opens it, because a database in WAL mode would create files in the version.
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0);
    if (!buffer.subarray(0, bytesRead).equals(HEADER)) throw invalid("is not an index of this program");
    database = openSqlite(join(directory, PATHS.index), { readonly: true, fileMustExist: true });
    assertOurs(database);
    if ("files" in known) assertSound(database, known.files);
    const inPlace = statSync(join(directory, entry.path), { bigint: true, throwIfNoEntry: false });
    if (inPlace?.ino !== stat.ino || inPlace.dev !== stat.dev)
      throw invalid("was replaced while it was opened");
    return readerOf(database, entry, handle, traceOf(stat));
  } catch (error) {
    database?.close();
    await handle.close();
    if (isSnapshotFailure(error)) throw error;
    throw invalid(`cannot be opened (${errorCode(error) ?? "unknown"})`, error);
  }
}

/** Keeps the handle open, so that a change to the verified bytes is noticed. */
function readerOf(database: SqliteDatabase, entry: ManifestFile, handle: FileHandle, knownTrace: string) {
  let trace = knownTrace;
  let failure: SnapshotFailure | undefined;
  return {
    /** Runs a query and turns errors of SQLite into `SnapshotFailure`. */
    read<Result>(query: (database: SqliteDatabase) => Result): Result {
      try {
        return query(database);
      } catch (error) {
        if (!isSqliteError(error)) throw error;
        failure = invalid(`can no longer be read (${error.code})`, error);
        throw failure;
      }
    },
    trace: () => trace,
    /** Damage since it was opened, or undefined; hashes the bytes again only if the trace has changed. */
    async damage(): Promise<SnapshotFailure | undefined> {
      if (failure !== undefined) return failure;
      try {
        const now = traceOf(await handle.stat({ bigint: true }));
        if (now !== trace) await requireContent(handle, entry);
        trace = now;
        return undefined;
      } catch (error) {
        return invalid("was changed after it was opened", error);
      }
    },
    close(): void {
      database.close();
      // Nothing was written, so a failed close loses nothing.
      handle.close().catch(() => {});
    },
  };
}

/** Identity, size and times of a file. Every write changes ctime, which cannot be set back. */
function traceOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

const invalid = (message: string, cause?: unknown): SnapshotFailure =>
  invalidFile(PATHS.index, message, cause);

function assertOurs(database: SqliteDatabase): void {
  // Off before anything is read, because a foreign schema could contain expressions that run on reading.
  database.pragma("trusted_schema = OFF");
  // Keeps the reader's lock, so that a journal that somebody puts beside the open index is ignored.
  database.pragma("locking_mode = EXCLUSIVE");
  const { applicationId, version } = readStamp(database);
  if (applicationId !== INDEX_STAMP.applicationId) throw invalid("is not an index of this program");
  if (version !== INDEX_STAMP.version) throw invalid("is of a version that this program does not read");
  const tables = database
    .prepare<[number], string>("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid LIMIT ?")
    .pluck()
    .all(INDEX_TABLES.length + 1);
  if (tables.length !== INDEX_TABLES.length || tables.some((sql, index) => sql !== INDEX_TABLES[index])) {
    throw invalid("does not have the tables of this format");
  }
  if (database.pragma("encoding", { simple: true }) !== "UTF-8") throw invalid("is not in UTF-8");
}

/** Checks that depend only on the bytes of the index and the manifest, so once is enough. */
function assertSound(database: SqliteDatabase, files: Manifest["files"]): void {
  if (database.pragma("quick_check(1)", { simple: true }) !== "ok")
    throw invalid("fails SQLite's quick_check");
  if (holdsDated(database, files)) return;
  throw invalid("the table dated_listings differs from the files");
}

// A month's rows must begin at 0, and their sizes must add up to that of the file. Whether they overlap or belong to
// another day is left to `verify --deep`, because checking it here would take twice as long.
const MONTHS = `SELECT space_id AS spaceId, substr(date, 1, 7) AS month, count(*) AS records, sum(bytes) AS bytes,
  min(offset) = 0 AND min(bytes) > 0 AND max(offset + bytes) = sum(bytes) AS fillsItsFile
  FROM dated_listings GROUP BY space_id, substr(date, 1, 7)`;

interface MonthRow {
  readonly spaceId: string;
  readonly month: string;
  readonly records: number;
  readonly bytes: number;
  readonly fillsItsFile: 0 | 1;
}

/** Whether the dated listings match the manifest's months in number and size. Reading a line verifies its content. */
function holdsDated(index: SqliteDatabase, files: Manifest["files"]): boolean {
  const months = new Map(
    files.flatMap((file) =>
      identifyFile(file.path)?.kind === "delegateMonth" ? [[file.path, file] as const] : [],
    ),
  );
  for (const { spaceId, month, records, bytes, fillsItsFile } of index
    .prepare<[], MonthRow>(MONTHS)
    .iterate()) {
    const path = PATHS.delegateMonth(spaceId, month);
    const file = months.get(path);
    if (fillsItsFile !== 1 || file?.records !== records || file.bytes !== bytes) return false;
    months.delete(path);
  }
  return months.size === 0;
}
