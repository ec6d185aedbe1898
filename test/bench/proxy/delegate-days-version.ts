import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { encodeCanonical, sha256Hex } from "../../../snapshots/format/canonical-json.ts";
import { byMonth } from "../../../snapshots/format/delegate-months.ts";
import type { DelegateListing } from "../../../snapshots/format/delegates.ts";
import { DOCUMENTS, type FileKind } from "../../../snapshots/format/documents.ts";
import { dayOf, timestampOf } from "../../../snapshots/format/ids.ts";
import { FORMAT_VERSION } from "../../../snapshots/format/limits.ts";
import { Manifest, type ManifestFile } from "../../../snapshots/format/manifest.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import type { PublishedListing } from "../../../snapshots/format/published-set.ts";
import { documentsAt } from "../../../snapshots/store/read/parse-document.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { indexRowsOf, renderIndex } from "../../../snapshots/store/write/build-index.ts";
import { movePointer } from "../../../snapshots/store/write/publish-version.ts";
import {
  type RenderedFile,
  renderDocument,
  renderedFile,
} from "../../../snapshots/store/write/render-documents.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import { versionName } from "../../../snapshots/store/write/write-version.ts";
import { datedListing, FIXTURE_AS_OF_MS, publishedSet } from "../../support/published-set.ts";

const DAY_MS = 86_400_000;
const METHODOLOGY = "1.0.0";

/** The id of one of the DAOs. */
export const spaceIdOf = (index: number): string => `dao-${String(index).padStart(4, "0")}.eth`;

/** One of the days that listings are dated by, the last day of the version first. */
export const dateOf = (back: number): string => dayOf(FIXTURE_AS_OF_MS - back * DAY_MS);

function rendered(kind: FileKind, path: string, value: unknown): RenderedFile {
  const records = Array.isArray(value) ? value.length : 1;
  return renderedFile(encodeCanonical(DOCUMENTS[kind].shape, value), {
    path,
    records,
    media_type: "application/json",
  });
}

/** The same listing for each of these days, as lines of months, and the table of the days. */
function monthsOf(spaceId: string, listing: DelegateListing, dates: readonly string[]): RenderedFile[] {
  const dated = dates.toSorted().map((date) => datedListing(date, listing));
  const months = byMonth(dated).map(({ month, days }) =>
    renderDocument({
      kind: "delegateMonth",
      id: spaceId,
      month,
      path: PATHS.delegateMonth(spaceId, month),
      value: days.map((day) => day.listing),
    }),
  );
  const value = dated.map(({ listing: _, ...day }) => day);
  const path = PATHS.delegateDays(spaceId);
  return [...months, renderDocument({ kind: "delegateDays", id: spaceId, month: "", path, value })];
}

function* documentsOf(daos: number, dates: readonly string[]): Generator<RenderedFile> {
  const { daos: rows, details, risks, listings, dgi, dgiHistory } = publishedSet();
  const [row, detail, risk] = [rows[0], details[0], risks[0]];
  const listing = listings.find(({ spaceId }) => spaceId === "orchard") as PublishedListing;
  const ids = Array.from({ length: daos }, (_, index) => spaceIdOf(index));
  yield rendered(
    "daos",
    PATHS.daos,
    ids.map((space_id, index) => ({ ...row, space_id, name: space_id, rank: index + 1 })),
  );
  yield rendered("unscored", PATHS.unscored, []);
  yield rendered("dgi", PATHS.dgi, dgi);
  yield rendered("dgiHistory", PATHS.dgiHistory, dgiHistory);
  for (const space_id of ids) {
    const latest = { ...listing.latest, dao: space_id };
    yield rendered("dao", PATHS.dao(space_id), { ...detail, space_id, top_entities: [] });
    yield rendered("risk", PATHS.risk(space_id), { ...risk, space_id });
    yield rendered("latestListing", PATHS.latestListing(space_id), latest);
    yield* monthsOf(space_id, latest, dates);
  }
}

function write(directory: string, { entry, bytes }: RenderedFile): void {
  const path = join(directory, entry.path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

async function finish(root: string, draft: string, files: readonly ManifestFile[], sequence: number) {
  const createdAtMs = FIXTURE_AS_OF_MS + 3_600_001 + sequence * 1_000;
  const manifest: Manifest = {
    format: FORMAT_VERSION,
    methodology_version: METHODOLOGY,
    sequence,
    previous: null,
    replaces: null,
    created_at: timestampOf(createdAtMs),
    as_of: timestampOf(FIXTURE_AS_OF_MS),
    sources: [],
    redacted: false,
    files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
  const bytes = encodeCanonical(Manifest, manifest);
  writeFileSync(join(root, draft, PATHS.manifest), bytes);
  const sha256 = sha256Hex(bytes);
  const version = versionName(createdAtMs, sha256);
  const disk = createSnapshotDisk(root);
  await disk.rename(draft, version);
  const pointer = {
    format: FORMAT_VERSION,
    sequence,
    version,
    manifest: { sha256, bytes: bytes.length },
    published_at: manifest.created_at,
  } as const;
  return { version, point: () => movePointer(disk, `.staging-${sequence}`, pointer) };
}

/** A version that lies there whole; readers see it once `point` is done. */
export type WaitingVersion = Awaited<ReturnType<typeof finish>>;

/**
 * A version of so many DAOs with so many dated listings each, through the store's own shapes, index, names and pointer.
 * Only the writing is not the store's: nothing is flushed.
 */
export async function writeDelegateDays(
  root: string,
  daos: number,
  dates: readonly string[],
): Promise<WaitingVersion> {
  const draft = ".draft-1";
  const directory = join(root, draft);
  const entries: ManifestFile[] = [];
  for (const file of documentsOf(daos, dates)) {
    write(directory, file);
    entries.push(file.entry);
  }
  const bytesOf = (path: string) => readFileSync(join(directory, path));
  const paths = entries.map(({ path }) => path);
  const { rows } = indexRowsOf(
    { methodology_version: METHODOLOGY, as_of: timestampOf(FIXTURE_AS_OF_MS) },
    documentsAt(paths, bytesOf),
    bytesOf,
  );
  const index = renderIndex(rows);
  write(directory, index);
  return finish(root, draft, [...entries, index.entry], 1);
}

/** The version that the pointer names once more, as the next: the same files under other names, and an index of its own. */
export async function writeNext(root: string): Promise<WaitingVersion> {
  const { version, sequence } = readPointer(root);
  const draft = `.draft-${sequence + 1}`;
  const [from, to] = [join(root, version), join(root, draft)];
  execFileSync("cp", ["-al", from, to]);
  const index = readFileSync(join(from, PATHS.index));
  for (const path of [PATHS.index, PATHS.manifest]) rmSync(join(to, path));
  writeFileSync(join(to, PATHS.index), index);
  const { files } = JSON.parse(readFileSync(join(from, PATHS.manifest), "utf8")) as Manifest;
  return finish(root, draft, files, sequence + 1);
}
