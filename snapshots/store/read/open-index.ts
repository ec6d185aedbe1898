import { type BigIntStats, statSync } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import Database from "better-sqlite3";
import type { Manifest, ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import {
  INDEX_APPLICATION_ID,
  INDEX_PAGE_BYTES,
  INDEX_SCHEMA_VERSION,
  INDEX_TABLES,
} from "./index-schema.ts";
import { SnapshotError, type SnapshotProblem } from "./snapshot-error.ts";
import { type FilesSummary, holdsDated, summarizeFiles } from "./summarize-manifest.ts";
import { contentProblem, type ExpectedFile, openFile, openProblem } from "./verified-file.ts";

/** A verified file that is kept open, so that a change to the very bytes that were verified is noticed. */
interface HeldFile {
  readonly firstBytes: (count: number) => Promise<Buffer>;
  /** Which file it is and when it was last touched, as of the last time its bytes were found right. */
  readonly trace: () => string;
  /** Whether its path still leads to these bytes. */
  readonly isInPlace: () => boolean;
  /** What is wrong by now; the hash is taken again only where the system says that something happened to the file. */
  readonly problem: () => Promise<SnapshotProblem | undefined>;
  readonly close: () => void;
}

/** No write passes without moving the last of these, whatever is done to the others. */
function traceOf({ dev, ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return `${dev} ${ino} ${size} ${mtimeNs} ${ctimeNs}`;
}

function refusal({ path, message }: SnapshotProblem): SnapshotError {
  return new SnapshotError("SNAPSHOT_INVALID", message, { path });
}

function heldFile(directory: string, file: ExpectedFile, handle: FileHandle, stat: BigIntStats): HeldFile {
  let trace = traceOf(stat);
  return {
    async firstBytes(count) {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(count), 0, count, 0);
      return buffer.subarray(0, bytesRead);
    },
    trace: () => trace,
    isInPlace() {
      const found = statSync(join(directory, file.path), { bigint: true, throwIfNoEntry: false });
      return found !== undefined && found.ino === stat.ino && found.dev === stat.dev;
    },
    async problem() {
      try {
        const now = traceOf(await handle.stat({ bigint: true }));
        if (now === trace) return undefined;
        const found = await contentProblem(handle, file);
        if (found === undefined) trace = now;
        return found;
      } catch (error) {
        return openProblem(file.path, error);
      }
    },
    close() {
      // Nothing was written through it, so nothing can be lost by a close that fails.
      handle.close().catch(() => {});
    },
  };
}

/**
 * Opens and verifies a file of a version, and keeps it open; throws `SnapshotError`. Where its bytes were found right
 * while it had the trace `knownTrace`, and it still has, they are not read again.
 */
async function holdVerified(directory: string, file: ExpectedFile, knownTrace?: string): Promise<HeldFile> {
  const handle = await openFile(directory, file.path);
  if ("code" in handle) throw refusal(handle);
  let found: SnapshotProblem | undefined;
  try {
    // Looked at before the bytes are: what happens in between is seen the next time.
    const stat = await handle.stat({ bigint: true });
    found = traceOf(stat) === knownTrace ? undefined : await contentProblem(handle, file);
    if (found === undefined) return heldFile(directory, file, handle, stat);
  } catch (error) {
    found = openProblem(file.path, error);
  }
  await handle.close();
  throw refusal(found);
}

/** The first bytes of a database of ours: SQLite 3, our page size, and a rollback journal (write and read version 1). */
const HEADER = Buffer.concat([
  Buffer.from("SQLite format 3\0", "latin1"),
  Buffer.from([INDEX_PAGE_BYTES >> 8, INDEX_PAGE_BYTES & 0xff, 1, 1]),
]);

/** An index that is open for reading. */
export interface OpenIndex {
  /** Runs a query; what SQLite says against it becomes `SnapshotError`. */
  readonly read: <Result>(query: (database: Database.Database) => Result) => Result;
  /** Stands for the file and for when it was touched; see `openKnownIndex`. */
  readonly trace: () => string;
  /** What has become wrong with it since it was opened. */
  readonly damage: () => Promise<SnapshotError | undefined>;
  readonly close: () => void;
}

function invalid(message: string, cause?: unknown): SnapshotError {
  return new SnapshotError("SNAPSHOT_INVALID", `${PATHS.index}: ${message}`, { path: PATHS.index, cause });
}

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
async function assertSound(database: Database.Database, { dated }: FilesSummary): Promise<void> {
  if (database.pragma("quick_check(1)", { simple: true }) !== "ok") throw invalid("fails its own check");
  if (await holdsDated(database, dated)) return;
  throw invalid("the table dated_listings does not hold what the files say");
}

function openIndexOf(database: Database.Database, file: HeldFile): OpenIndex {
  let failure: SnapshotError | undefined;
  return {
    read(query) {
      try {
        return query(database);
      } catch (error) {
        if (!(error instanceof Database.SqliteError)) throw error;
        failure = invalid(`cannot be read any more (${error.code})`, error);
        throw failure;
      }
    },
    trace: file.trace,
    async damage() {
      if (failure !== undefined) return failure;
      const found = await file.problem();
      return found === undefined ? undefined : invalid("is not what it was when it was opened", found);
    },
    close() {
      database.close();
      file.close();
    },
  };
}

async function openVerified(
  directory: string,
  entry: ManifestFile,
  knownTrace: string | undefined,
  check: (database: Database.Database) => Promise<void>,
): Promise<OpenIndex> {
  const file = await holdVerified(directory, entry, knownTrace);
  let database: Database.Database | undefined;
  try {
    // Judged before SQLite sees it: a database in WAL mode would make files of its own in the version.
    if (!(await file.firstBytes(HEADER.length)).equals(HEADER))
      throw invalid("is not an index of this program");
    database = new Database(join(directory, PATHS.index), { readonly: true, fileMustExist: true });
    assertOurs(database);
    await check(database);
    if (!file.isInPlace()) throw invalid("was replaced while it was opened");
    return openIndexOf(database, file);
  } catch (error) {
    database?.close();
    file.close();
    if (error instanceof SnapshotError) throw error;
    const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
    throw invalid(`cannot be opened${code}`, error);
  }
}

/** The index of a version, its bytes verified against what the manifest says of its files, open read-only; throws `SnapshotError`. */
export function openSummedIndex(directory: string, files: FilesSummary): Promise<OpenIndex> {
  return openVerified(directory, files.index, undefined, (database) => assertSound(database, files));
}

/** `openSummedIndex` of a manifest that is held whole. */
export async function openIndex(directory: string, manifest: Pick<Manifest, "files">): Promise<OpenIndex> {
  return openSummedIndex(directory, summarizeFiles(manifest.files));
}

/**
 * An index that was opened, checked and closed before, when it had this trace: what follows from its bytes is not
 * looked at again, and the bytes only where the system says that something happened to the file.
 */
export function openKnownIndex(directory: string, entry: ManifestFile, trace: string): Promise<OpenIndex> {
  return openVerified(directory, entry, trace, async () => {});
}
