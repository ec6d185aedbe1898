import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { encodeCanonical, sha256Hex } from "../../../snapshots/format/canonical-json.ts";
import { DOCUMENTS, type FileKind } from "../../../snapshots/format/documents.ts";
import { dayOf, timestampOf } from "../../../snapshots/format/ids.ts";
import { FORMAT_VERSION } from "../../../snapshots/format/limits.ts";
import { Manifest, type ManifestFile } from "../../../snapshots/format/manifest.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import type { PublishedListing } from "../../../snapshots/format/published-set.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { indexRowsOf, renderIndex } from "../../../snapshots/store/write/build-index.ts";
import { movePointer } from "../../../snapshots/store/write/publish-version.ts";
import { type RenderedFile, renderedFile } from "../../../snapshots/store/write/render-documents.ts";
import { createSnapshotDisk } from "../../../snapshots/store/write/snapshot-disk.ts";
import { versionName } from "../../../snapshots/store/write/write-version.ts";
import { FIXTURE_AS_OF_MS, publishedSet } from "../../support/published-set.ts";

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

function documentsOf(daos: number): { readonly files: RenderedFile[]; readonly days: RenderedFile[] } {
  const { daos: rows, details, risks, listings, dgi, dgiHistory } = publishedSet();
  const [row, detail, risk] = [rows[0], details[0], risks[0]];
  const listing = listings.find(({ spaceId }) => spaceId === "orchard") as PublishedListing;
  const ids = Array.from({ length: daos }, (_, index) => spaceIdOf(index));
  const files = [
    rendered(
      "daos",
      PATHS.daos,
      ids.map((space_id, index) => ({ ...row, space_id, name: space_id, rank: index + 1 })),
    ),
    rendered("unscored", PATHS.unscored, []),
    rendered("dgi", PATHS.dgi, dgi),
    rendered("dgiHistory", PATHS.dgiHistory, dgiHistory),
  ];
  const days: RenderedFile[] = [];
  for (const space_id of ids) {
    const latest = { ...listing.latest, dao: space_id };
    files.push(rendered("dao", PATHS.dao(space_id), { ...detail, space_id, top_entities: [] }));
    files.push(rendered("risk", PATHS.risk(space_id), { ...risk, space_id }));
    files.push(rendered("latestListing", PATHS.latestListing(space_id), latest));
    days.push(rendered("datedListing", PATHS.datedListing(space_id, dateOf(0)), latest));
  }
  return { files, days };
}

function write(directory: string, { entry, bytes }: RenderedFile): void {
  const path = join(directory, entry.path);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

/** The listing of one day of a DAO again as that of all its other days: other names of one file. */
function linkDays(
  directory: string,
  day: RenderedFile,
  spaceId: string,
  dates: readonly string[],
): ManifestFile[] {
  const from = join(directory, day.entry.path);
  return dates.map((date) => {
    const path = PATHS.datedListing(spaceId, date);
    if (path !== day.entry.path) linkSync(from, join(directory, path));
    return { ...day.entry, path };
  });
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
 * Only the writing is not the store's: the listings of a DAO are names of one file, and nothing is flushed.
 */
export async function writeDelegateDays(
  root: string,
  daos: number,
  dates: readonly string[],
): Promise<WaitingVersion> {
  const draft = ".draft-1";
  const directory = join(root, draft);
  const { files, days } = documentsOf(daos);
  for (const file of [...files, ...days]) write(directory, file);
  const dated = days.flatMap((day, index) => linkDays(directory, day, spaceIdOf(index), dates));
  const bytesByPath = new Map(files.map(({ entry, bytes }) => [entry.path, bytes]));
  const rows = indexRowsOf(
    { methodology_version: METHODOLOGY, as_of: timestampOf(FIXTURE_AS_OF_MS) },
    [...files.map(({ entry }) => entry), ...dated],
    (path) => bytesByPath.get(path) ?? Buffer.alloc(0),
  );
  const index = renderIndex(rows);
  write(directory, index);
  return finish(root, draft, [...files.map(({ entry }) => entry), ...dated, index.entry], 1);
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
