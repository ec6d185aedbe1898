import { setImmediate as pause } from "node:timers/promises";
import type Database from "better-sqlite3";
import { sha256Hex } from "../../format/canonical-json.ts";
import { identifyFile } from "../../format/documents.ts";
import { Manifest, ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { assertInOrder, type ManifestHead, manifestInvalid } from "./locate-version.ts";
import { parseFormatted } from "./read-pointer.ts";
import { readable } from "./snapshot-error.ts";

/** What a reader has to know of the files of a version before it opens one. */
export type FilesSummary = ReturnType<typeof summarizeFiles>;

/** Whether a file is to be told of by itself. */
type ChooseFile = (path: string) => boolean;

/**
 * A manifest's bytes without keeping its files, in slices between which others can work; it takes and refuses what
 * `readManifest` does. Throws `SnapshotError`.
 */
export async function summarizeManifest(bytes: Buffer, choose: ChooseFile = () => false) {
  const at = bytes.indexOf(FILES) + FILES.length;
  const head = at < FILES.length ? undefined : headBefore(bytes, at);
  if (head === undefined) return summarizePlainly(bytes, choose);
  const summary = createSummary(choose);
  const entries = manifestEntries(bytes, at);
  let next = entries.next();
  for (; next.done !== true; next = entries.next()) {
    summary.add(next.value);
    await pause();
  }
  return next.value ? { head, ...summary.end() } : summarizePlainly(bytes, choose);
}

/** Spaces looked up before others may work. */
const SPACES_AT_A_TIME = 32;

const COUNT = "SELECT count(*) FROM dated_listings";
// A month's rows must begin where its file does, take as many bytes, and end where it ends: none reaches out of it. That none
// lies over another, or in the place of another day, is for `verify --deep`: to look here would take twice as long.
const MONTHS = `SELECT coalesce(sum(days), 0) AS count, group_concat(month, char(10)) AS months FROM (
  SELECT count(*) AS days, substr(date, 1, 7) || ' ' || count(*) || ' ' || sum(bytes) AS month
  FROM dated_listings WHERE space_id = ? GROUP BY substr(date, 1, 7)
  HAVING min(offset) = 0 AND min(bytes) > 0 AND max(offset + bytes) = sum(bytes)
  ORDER BY month)`;

/**
 * Whether the dated listings of an index are lines of the months that the manifest names, as many as it says, and fill
 * their files. What a line holds is verified where it is read, by the hash that the index has of it.
 */
export async function holdsDated(index: Database.Database, digests: FilesSummary["dated"]): Promise<boolean> {
  const expected = [...digests.values()].reduce((sum, { count }) => sum + count, 0);
  if (index.prepare<[], number>(COUNT).pluck().get() !== expected) return false;
  const find = index.prepare<[string], { count: number; months: string | null }>(MONTHS);
  let looked = 0;
  for (const [spaceId, digest] of digests) {
    const found = find.get(spaceId);
    if (found?.count !== digest.count || sha256Hex(found.months ?? "") !== digest.sha256) return false;
    looked += 1;
    if (looked % SPACES_AT_A_TIME === 0) await pause();
  }
  return true;
}

/** Bytes taken at a time: less than a millisecond of work, far more than one entry, and a string that is cheap to forget. */
const SLICE_BYTES = 64 * 1024;

const MEDIA_TYPES = ManifestFile.shape.media_type.options;

/** A file's path as `ManifestFile` has it. */
const PATH = "[a-z0-9][A-Za-z0-9._-]*(?:\\/[a-z0-9][A-Za-z0-9._-]*)*";

/** One entry in its canonical spelling, and what follows it. */
const ENTRY = new RegExp(
  `\\{"path":"(${PATH})","bytes":(0|[1-9]\\d{0,15}),"sha256":"([0-9a-f]{64})",` +
    `"records":(0|[1-9]\\d{0,15}),"media_type":"(${MEDIA_TYPES.map((type) => type.replaceAll(/[.+/]/g, "\\$&")).join("|")})"\\}([,\\]])`,
  "y",
);

/** What follows the list of files in a manifest. */
const AFTER_ENTRIES = "}\n";

/**
 * The files of a manifest whose list begins at `from`, a slice at a time, so that others can work in between. Returns
 * false where anything is not spelt as we spell it; then nothing of what came may be used.
 *
 * JSON and zod need two seconds and 400 MB for the 370,000 files of a year of listings, this a fifth of a second and
 * one slice.
 */
export function* manifestEntries(bytes: Buffer, from: number): Generator<readonly ManifestFile[], boolean> {
  let at = from;
  for (;;) {
    const text = bytes.toString("latin1", at, Math.min(at + SLICE_BYTES, bytes.length));
    const files: ManifestFile[] = [];
    let taken = 0;
    ENTRY.lastIndex = 0;
    for (let match = ENTRY.exec(text); match !== null; match = ENTRY.exec(text)) {
      const [, path = "", size, sha256 = "", count, type, next] = match;
      const [bytesOfFile, records] = [Number(size), Number(count)];
      const mediaType = MEDIA_TYPES.find((each) => each === type);
      if (mediaType === undefined) return false;
      if (!Number.isSafeInteger(bytesOfFile) || !Number.isSafeInteger(records)) return false;
      files.push({ path, bytes: bytesOfFile, sha256, records, media_type: mediaType });
      taken = ENTRY.lastIndex;
      if (next === "]") {
        yield files;
        return bytes.toString("latin1", at + taken, bytes.length) === AFTER_ENTRIES;
      }
    }
    if (files.length === 0) return false;
    yield files;
    at += taken;
  }
}

const FILES = '"files":[';

/** Most files are of other kinds, and are told by this alone. */
const DELEGATES = "delegates/";

/** Sums up files that come in the order of their paths; throws `SnapshotError`. */
function createSummary(choose: ChooseFile) {
  const dated = new Map<string, { readonly count: number; readonly sha256: string }>();
  const chosen: ManifestFile[] = [];
  let before = "";
  let index: ManifestFile | undefined;
  let spaceId = "";
  let [count, months] = [0, [] as string[]];
  const endSpace = () => {
    if (months.length > 0) dated.set(spaceId, { count, sha256: sha256Hex(months.join("\n")) });
    [count, months] = [0, []];
  };
  return {
    add(files: readonly ManifestFile[]): void {
      for (const file of files) {
        const { path, records, bytes } = file;
        assertInOrder(before, path);
        before = path;
        if (choose(path)) chosen.push(file);
        if (path === PATHS.index) index = file;
        const identity = path.startsWith(DELEGATES) ? identifyFile(path) : undefined;
        if (identity?.kind !== "delegateMonth") continue;
        if (identity.id !== spaceId) endSpace();
        spaceId = identity.id;
        count += records;
        months.push(`${identity.month} ${records} ${bytes}`);
      }
    },
    /** The index, the files chosen, and of each space how many dated listings it has and a hash of what is said of their months: some bytes, however many there are. */
    end() {
      if (index === undefined) throw manifestInvalid(`does not name ${PATHS.index}`);
      endSpace();
      return { index, dated, chosen };
    },
  };
}

/** The files that a manifest names, summed up; throws `SnapshotError`. */
export function summarizeFiles(files: readonly ManifestFile[], choose: ChooseFile = () => false) {
  const summary = createSummary(choose);
  summary.add(files);
  return summary.end();
}

function headOf(bytes: Buffer): { readonly head: ManifestHead; readonly files: readonly ManifestFile[] } {
  const { files, ...head } = parseFormatted(PATHS.manifest, bytes, Manifest);
  return { head, files };
}

/** The manifest in one piece: what is unusual about it is said by its shape. */
function summarizePlainly(bytes: Buffer, choose: ChooseFile) {
  const { files, head } = headOf(bytes);
  return { head, ...summarizeFiles(files, choose) };
}

/** What stands before the list of files; undefined where it is not that of a manifest as we spell it. */
function headBefore(bytes: Buffer, at: number): ManifestHead | undefined {
  const around = Buffer.concat([bytes.subarray(0, at), Buffer.from(`]${AFTER_ENTRIES}`)]);
  return readable(() => headOf(around).head);
}
