import type { TopEntity } from "../../format/dao.ts";
import { FILE_SHAPES, placeOf } from "../../format/documents.ts";
import { type Entity, topEntitiesOf } from "../../format/entity.ts";
import {
  bareGraph,
  bareRow,
  type HiddenEntity,
  type HiddenNames,
  hiddenNames,
} from "../../format/hidden-entities.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { type LocatedVersion, manifestFile } from "../read/locate-version.ts";
import { delegateOfLine } from "../read/read-documents.ts";
import { parseJsonFile } from "../read/read-pointer.ts";
import { readable, SnapshotError } from "../read/snapshot-error.ts";
import { readVerified } from "../read/verified-file.ts";
import { buildIndex } from "../write/build-index.ts";
import { indexContent } from "../write/index-content.ts";
import {
  delegateLines,
  encodeDocument,
  type RenderedFile,
  renderDataPackageAgain,
  renderedFile,
} from "../write/render-documents.ts";

/** What becomes of a version that names somebody who opted out. */
export interface RedactedDraft {
  readonly located: LocatedVersion;
  /**
   * Files with other bytes; the index, built anew, as a page of the old one could hold what was deleted; and the data
   * package, which names all of them.
   */
  readonly files: readonly RenderedFile[];
  readonly kept: readonly ManifestFile[];
  /** How many files are left out: one for each entity. */
  readonly droppedCount: number;
}

/** What is taken out of one version, and what comes in its place. */
interface Redaction {
  readonly hidden: HiddenNames;
  /** Of every DAO, made of the entities that stay. */
  readonly topEntities: ReadonlyMap<string, readonly TopEntity[]>;
  /** How many entities stay. */
  readonly entitiesCount: number;
}

/** Files that are made of all others, and so are not redacted but made again. */
const MADE_OF_OTHERS: ReadonlySet<string> = new Set([PATHS.index, PATHS.dataPackage]);

/** A version without these entities; undefined where it names none of them. Throws `SnapshotError` where it is damaged. */
export function draftRedaction(
  located: LocatedVersion,
  hiddenEntities: readonly HiddenEntity[],
): RedactedDraft | undefined {
  const redaction = redactionOf(located, hiddenEntities);
  const files: RenderedFile[] = [];
  const kept: ManifestFile[] = [];
  let droppedCount = 0;
  for (const entry of located.manifest.files.filter(({ path }) => !MADE_OF_OTHERS.has(path))) {
    const bytes = readVerified(located.directory, entry);
    const redacted = redactFile(entry, bytes, redaction);
    if (redacted === undefined) droppedCount += 1;
    else if (redacted === bytes) kept.push(entry);
    else files.push(renderedFile(redacted, entry));
  }
  if (droppedCount === 0 && files.length === 0) return undefined;
  files.push(renderIndexOf(located, files, kept));
  for (const file of renderDataPackageAgain(located, [...files.map(({ entry }) => entry), ...kept])) {
    // Asked once more, like any other file: it refuses to go on naming somebody.
    redactFile(file.entry, file.bytes, redaction);
    files.push(file);
  }
  return { located, files, kept, droppedCount };
}

/** Every entity that a version publishes; throws `SnapshotError` where it is damaged. */
export function entitiesOf({ directory, manifest }: LocatedVersion): readonly Entity[] {
  return manifest.files
    .filter(({ path }) => placeOf(path)?.kind === "entity")
    .map((file) => parseJsonFile(file.path, readVerified(directory, file), FILE_SHAPES.entity));
}

/** The entities of a version whose files can be read, whatever is wrong with others. */
export function readableEntitiesOf(located: LocatedVersion): readonly Entity[] {
  return located.manifest.files.flatMap(
    (file) =>
      readable(() => entitiesOf({ ...located, manifest: { ...located.manifest, files: [file] } })) ?? [],
  );
}

/** What to take out of one version. A wallet that is another entity's there is that one's to show. */
function redactionOf(located: LocatedVersion, hiddenEntities: readonly HiddenEntity[]): Redaction {
  const names = hiddenNames(hiddenEntities);
  const staying = entitiesOf(located).filter(({ entity_id }) => !names.ids.has(entity_id));
  const wallets = new Set(names.wallets);
  for (const wallet of staying.flatMap((entity) => entity.wallets)) wallets.delete(wallet);
  return {
    hidden: { ...names, wallets },
    topEntities: topEntitiesOf(staying),
    entitiesCount: staying.length,
  };
}

function renderIndexOf(
  { directory, manifest }: LocatedVersion,
  files: readonly RenderedFile[],
  kept: readonly ManifestFile[],
): RenderedFile {
  const changed = new Map(files.map((file) => [file.entry.path, file.bytes]));
  const content = indexContent({
    asOf: manifest.as_of,
    methodologyVersion: manifest.methodology_version,
    files: [...files.map(({ entry }) => entry), ...kept],
    bytesOf: (path) => changed.get(path) ?? readVerified(directory, manifestFile(manifest, path)),
  });
  return renderedFile(buildIndex(content), {
    path: PATHS.index,
    records: content.documents.length,
    media_type: "application/vnd.sqlite3",
  });
}

/**
 * The bytes of a file without whom opted out: the very same where it names nobody, nothing where it was all about one
 * of them. Throws `SnapshotError` where a file still names somebody afterwards.
 */
export function redactFile(entry: ManifestFile, bytes: Buffer, redaction: Redaction): Buffer | undefined {
  const { path } = entry;
  const redacted = WHOLE_LISTING.test(path)
    ? redactCsv(path, bytes, redaction.hidden)
    : redactJson(entry, bytes, redaction);
  if (redacted === undefined) return undefined;
  assertSilent(path, redacted, redaction.hidden);
  return redacted.equals(bytes) ? bytes : redacted;
}

/** Anything that looks like a wallet or an entity's id, wherever in a text it stands. */
const IDENTIFIER = /0x[0-9a-f]{40}|ent_[0-9a-z]{26}/gi;

/** The one file of rows that are delegates and no JSON. */
const WHOLE_LISTING = /^delegates\/[^/]+\/all\.csv$/;

/** Throws `DOCUMENT_INVALID` where a text still names somebody hidden; only rankings may hold a hidden wallet, as a bare row. */
function assertSilent(path: string, bytes: Buffer, { ids, wallets }: HiddenNames): void {
  const mayHoldWallets = path.startsWith("delegates/") || placeOf(path)?.kind === "graph";
  for (const [found] of bytes.toString("utf8").matchAll(IDENTIFIER)) {
    const name = found.toLowerCase();
    if (!ids.has(name) && (mayHoldWallets || !wallets.has(name))) continue;
    throw new SnapshotError("DOCUMENT_INVALID", `${path}: would go on naming an entity that opted out`, {
      path,
    });
  }
}

function redactJson({ path }: ManifestFile, bytes: Buffer, redaction: Redaction): Buffer | undefined {
  const place = placeOf(path);
  const { hidden } = redaction;
  if (place?.kind === "entity") return hidden.ids.has(place.id) ? undefined : bytes;
  if (place?.kind === "dao") {
    const detail = parseJsonFile(path, bytes, FILE_SHAPES.dao);
    if (!detail.top_entities.some((each) => hidden.ids.has(each.entity_id))) return bytes;
    const top_entities = [...(redaction.topEntities.get(detail.space_id) ?? [])];
    return encodeDocument(path, FILE_SHAPES.dao, { ...detail, top_entities });
  }
  if (place?.kind === "latest-listing" || place?.kind === "dated-listing") {
    const listing = parseJsonFile(path, bytes, FILE_SHAPES[place.kind]);
    const delegates = listing.delegates.map((item) => bareRow(item, hidden));
    if (delegates.every((item, index) => item === listing.delegates[index])) return bytes;
    return encodeDocument(path, FILE_SHAPES[place.kind], { ...listing, delegates });
  }
  if (place?.kind === "graph") {
    const graph = parseJsonFile(path, bytes, FILE_SHAPES.graph);
    const bare = bareGraph(graph, hidden);
    return bare === graph ? bytes : encodeDocument(path, FILE_SHAPES.graph, bare);
  }
  if (place?.kind === "run") {
    const report = parseJsonFile(path, bytes, FILE_SHAPES.run);
    if (report.counts.entities_published === redaction.entitiesCount) return bytes;
    const counts = { ...report.counts, entities_published: redaction.entitiesCount };
    return encodeDocument(path, FILE_SHAPES.run, { ...report, counts });
  }
  return bytes;
}

/** A whole ranking with bare rows where hidden ones stood; every other line keeps its very bytes. */
function redactCsv(path: string, bytes: Buffer, hidden: HiddenNames): Buffer {
  const [header = "", ...lines] = bytes.toString("utf8").split("\n");
  const shown = lines.map((line) => {
    if (line === "") return line;
    const item = delegateOfLine(path, line);
    const bare = bareRow(item, hidden);
    return bare === item ? line : delegateLines([bare]).trimEnd();
  });
  return Buffer.from([header, ...shown].join("\n"), "utf8");
}
