import { type BigIntStats, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import { identifyFile } from "../../format/documents.ts";
import type { Manifest, ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import {
  INDEX_APPLICATION_ID,
  INDEX_PAGE_BYTES,
  INDEX_SCHEMA_VERSION,
  INDEX_TABLES,
} from "./index-schema.ts";
import { manifestFile } from "./locate-version.ts";
import { invalidFile, refusalOf, SnapshotError, type SnapshotProblem } from "./snapshot-error.ts";
import { contentProblem, openFile, openProblem } from "./verified-file.ts";

/** The first bytes of a database of ours: SQLite 3, our page size, and a rollback journal (write and read version 1). */
const HEADER = Buffer.concat([
  Buffer.from("SQLite format 3\0", "latin1"),
  Buffer.from([INDEX_PAGE_BYTES >> 8, INDEX_PAGE_BYTES & 0xff, 1, 1]),
]);

/** An index that is open for reading. */
export type OpenIndex = ReturnType<typeof readerOf>;

/** The index of a version, its bytes verified against what the manifest says of its files, open read-only; throws `SnapshotError`. */
export async function openIndex(directory: string, manifest: Manifest): Promise<OpenIndex> {
  return openVerified(directory, manifestFile(manifest, PATHS.index), manifest);
}

/**
 * An index that was opened, checked and closed before, when it had this trace: what follows from its bytes is not looked
 * at again, and the bytes only where the system says that something happened to them. Throws `SnapshotError`.
 */
export function reopenIndex(directory: string, entry: ManifestFile, trace: string): Promise<OpenIndex> {
  return openVerified(directory, entry, { trace });
}

async function openVerified(
  directory: string,
  entry: ManifestFile,
  known: Pick<Manifest, "files"> | { readonly trace: string },
): Promise<OpenIndex> {
  const handle = await openFile(directory, entry.path);
  if ("code" in handle) throw refusalOf(handle);
  let database: Database.Database | undefined;
  try {
    // Looked at before the bytes are: what happens in between is seen the next time.
    const stat = await handle.stat({ bigint: true });
    const isSame = "trace" in known && traceOf(stat) === known.trace;
    const found = isSame ? undefined : await contentProblem(handle, entry);
    if (found !== undefined) throw refusalOf(found);
    // Judged before SQLite sees it: a database in WAL mode would make files of its own in the version.
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEADER.length), 0, HEADER.length, 0);
    if (!buffer.subarray(0, bytesRead).equals(HEADER)) throw invalid("is not an index of this program");
    database = new Database(join(directory, PATHS.index), { readonly: true, fileMustExist: true });
    assertOurs(database);
    if ("files" in known) assertSound(database, known.files);
    const inPlace = statSync(join(directory, entry.path), { bigint: true, throwIfNoEntry: false });
    if (inPlace?.ino !== stat.ino || inPlace.dev !== stat.dev)
      throw invalid("was replaced while it was opened");
    return readerOf(database, entry, handle, traceOf(stat));
  } catch (error) {
    database?.close();
    await handle.close();
    if (error instanceof SnapshotError) throw error;
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw invalid(`cannot be opened${code}`, error);
  }
}

/** The open handle stays, so that a change to the very bytes that were verified is noticed. */
function readerOf(database: Database.Database, entry: ManifestFile, handle: FileHandle, knownTrace: string) {
  let trace = knownTrace;
  let failure: SnapshotError | undefined;
  const problem = async (): Promise<SnapshotProblem | undefined> => {
    try {
      const now = traceOf(await handle.stat({ bigint: true }));
      if (now === trace) return undefined;
      const found = await contentProblem(handle, entry);
      if (found === undefined) trace = now;
      return found;
    } catch (error) {
      return openProblem(entry.path, error);
    }
  };
  return {
    /** Runs a query; what SQLite says against it becomes `SnapshotError`. */
    read<Result>(query: (database: Database.Database) => Result): Result {
      try {
        return query(database);
      } catch (error) {
        if (!(error instanceof Database.SqliteError)) throw error;
        failure = invalid(`cannot be read any more (${error.code})`, error);
        throw failure;
      }
    },
    /** Which file it is and when it was last touched, as of the last time its bytes were found right. */
    trace: () => trace,
    /** What has become wrong since it was opened; its bytes are hashed again only where the system says that something happened to them. */
    async damage(): Promise<SnapshotError | undefined> {
      if (failure !== undefined) return failure;
      const found = await problem();
      return found === undefined ? undefined : invalid("is not what it was when it was opened", found);
    },
    close(): void {
      database.close();
      // Nothing was written through it, so nothing can be lost by a close that fails.
      handle.close().catch(() => {});
    },
  };
}

/** No write passes without moving the last of these, whatever is done to the others. */
function traceOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

const invalid = (message: string, cause?: unknown): SnapshotError => invalidFile(PATHS.index, message, cause);

function assertOurs(database: Database.Database): void {
  // Off before anything is read: a schema from elsewhere could carry expressions that run on reading.
  database.pragma("trusted_schema = OFF");
  // The lock of a reader is then kept: a journal that somebody lays beside the open index is not believed.
  database.pragma("locking_mode = EXCLUSIVE");
  if (database.pragma("application_id", { simple: true }) !== INDEX_APPLICATION_ID) {
    throw invalid("is not an index of this program");
  }
  if (database.pragma("user_version", { simple: true }) !== INDEX_SCHEMA_VERSION) {
    throw invalid("is of a version that this program does not read");
  }
  const tables = database
    .prepare<[number], string>("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid LIMIT ?")
    .pluck()
    .all(INDEX_TABLES.length + 1);
  if (tables.length !== INDEX_TABLES.length || tables.some((sql, at) => sql !== INDEX_TABLES[at])) {
    throw invalid("does not have the tables of this format");
  }
  if (database.pragma("encoding", { simple: true }) !== "UTF-8") throw invalid("is not in UTF-8");
}

/** What follows from its bytes alone, and from those of the manifest: to look once is enough. */
function assertSound(database: Database.Database, files: Manifest["files"]): void {
  if (database.pragma("quick_check(1)", { simple: true }) !== "ok") throw invalid("fails its own check");
  if (holdsDated(database, files)) return;
  throw invalid("the table dated_listings does not hold what the files say");
}

// A month's rows must begin where its file does, take as many bytes, and end where it ends: none reaches out of it. That none
// lies over another, or in the place of another day, is for `verify --deep`: to look here would take twice as long.
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

/**
 * Whether the dated listings of an index are lines of the months that the manifest names, as many as it says, and fill
 * their files. What a line holds is verified where it is read, by the hash that the index has of it.
 */
export function holdsDated(index: Database.Database, files: Manifest["files"]): boolean {
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
