import { DOCUMENTS, type FileRow, identifyFile } from "../../format/documents.ts";
import { type Entity, topEntitiesOf } from "../../format/entity.ts";
import {
  bareRow,
  type HiddenEntity,
  type HiddenNames,
  hiddenBeside,
  hiddenNames,
  IDENTIFIER,
  type Redaction,
} from "../../format/hidden-entities.ts";
import type { ManifestFile } from "../../format/manifest.ts";
import { PATHS } from "../../format/paths.ts";
import { dailyListings } from "../read/format-one.ts";
import { type LocatedVersion, manifestFile } from "../read/locate-version.ts";
import { delegateOfLine, documentsAt, parseDocument } from "../read/parse-document.ts";
import { parseJsonFile } from "../read/read-pointer.ts";
import { readable, SnapshotError } from "../read/snapshot-error.ts";
import { readVerified } from "../read/verified-file.ts";
import { indexRowsOf, renderIndex } from "../write/build-index.ts";
import {
  delegateLines,
  encodeKind,
  type RenderedFile,
  renderDataPackageAgain,
  renderedFile,
} from "../write/render-documents.ts";

/** What becomes of a version that names somebody who opted out. */
export type RedactedDraft = NonNullable<ReturnType<typeof draftRedaction>>;

/** Files that are made of all others, and so are not redacted but made again. */
const MADE_OF_OTHERS: ReadonlySet<string> = new Set([PATHS.index, PATHS.dataPackage]);

/** A version without these entities; undefined where it names none of them. Throws `SnapshotError` where it is damaged. */
export function draftRedaction(located: LocatedVersion, hiddenEntities: readonly HiddenEntity[]) {
  const redaction = redactionOf(located, hiddenEntities);
  const changed: RenderedFile[] = [];
  const folded: RenderedFile[] = [];
  const kept: ManifestFile[] = [];
  // One file is left out for each entity.
  let droppedCount = 0;
  for (const { file, lies, read } of filesOf(located)) {
    const bytes = read();
    const redacted = redactFile(file, bytes, redaction);
    if (redacted === undefined) droppedCount += 1;
    else if (redacted !== bytes) changed.push(renderedFile(redacted, file));
    else if (lies !== undefined) kept.push(lies);
    else folded.push(readAgain(renderedFile(bytes, file), read));
  }
  if (droppedCount === 0 && changed.length === 0) return undefined;
  // Beside these the index, built anew, as a page of the old one could hold what was deleted; and the data package, which
  // names all of them.
  const files = [...changed, ...folded];
  files.push(renderIndexOf(located, files, kept));
  for (const file of renderDataPackageAgain(located, [...files.map(({ entry }) => entry), ...kept])) {
    // Asked once more, like any other file: it refuses to go on naming somebody.
    redactFile(file.entry, file.bytes, redaction);
    files.push(file);
  }
  return { located, files, kept, droppedCount };
}

/** A file as the current format has it: `lies` where it is one already, else it is made of several. */
interface DraftFile {
  readonly file: Pick<ManifestFile, "path" | "records" | "media_type">;
  readonly lies: ManifestFile | undefined;
  readonly read: () => Buffer;
}

/** Read again where it is written: all of them together may be more than fits into memory. */
function readAgain({ entry }: RenderedFile, read: () => Buffer): RenderedFile {
  return {
    entry,
    get bytes() {
      return read();
    },
  };
}

/** The files of a version as the current format has them, but for those made of all others; throws `SnapshotError`. */
function filesOf(located: LocatedVersion): readonly DraftFile[] {
  const { directory, manifest } = located;
  const months = dailyListings(located);
  const daily = new Set([...months.values()].flat().map(({ path }) => path));
  const lying = manifest.files.filter(({ path }) => !MADE_OF_OTHERS.has(path) && !daily.has(path));
  return [
    ...lying.map((file) => ({ file, lies: file, read: () => readVerified(directory, file) })),
    ...[...months].map(([path, days]) => ({
      file: { path, records: days.length, media_type: DOCUMENTS.delegateMonth.mediaType },
      lies: undefined,
      read: () => Buffer.concat(days.map((file) => readVerified(directory, file))),
    })),
  ];
}

/** Every entity that a version publishes; throws `SnapshotError` where it is damaged. */
export function entitiesOf({ directory, manifest }: LocatedVersion): readonly Entity[] {
  return manifest.files
    .filter(({ path }) => identifyFile(path)?.kind === "entity")
    .map((file) => parseJsonFile(file.path, readVerified(directory, file), DOCUMENTS.entity.shape));
}

/** The entities of a version whose files can be read, whatever is wrong with others. */
export function readableEntitiesOf(located: LocatedVersion): readonly Entity[] {
  return located.manifest.files.flatMap(
    (file) =>
      readable(() => entitiesOf({ ...located, manifest: { ...located.manifest, files: [file] } })) ?? [],
  );
}

/** What to take out of one version. */
function redactionOf(located: LocatedVersion, hiddenEntities: readonly HiddenEntity[]): Redaction {
  const names = hiddenNames(hiddenEntities);
  const staying = entitiesOf(located).filter(({ entity_id }) => !names.ids.has(entity_id));
  return {
    hidden: hiddenBeside(names, staying),
    topEntities: topEntitiesOf(staying),
    entitiesCount: staying.length,
  };
}

function renderIndexOf(
  { directory, manifest }: LocatedVersion,
  files: readonly RenderedFile[],
  kept: readonly ManifestFile[],
): RenderedFile {
  const made = new Map(files.map((file) => [file.entry.path, file]));
  const bytesOf = (path: string) =>
    made.get(path)?.bytes ?? readVerified(directory, manifestFile(manifest, path));
  // Evidence of an older method is written otherwise: its version is redacted all the same, and answers say less beside scores.
  const isTold = (path: string) =>
    identifyFile(path)?.kind !== "evidence" ||
    readable(() => parseDocument("evidence", path, bytesOf(path))) !== undefined;
  const paths = [...files.map(({ entry }) => entry), ...kept].map(({ path }) => path).filter(isTold);
  return renderIndex(indexRowsOf(manifest, documentsAt(paths, bytesOf), bytesOf).rows);
}

/**
 * The bytes of a file without whom opted out: the very same where it names nobody, nothing where it was all about one
 * of them. Throws `SnapshotError` where a file still names somebody afterwards.
 */
export function redactFile(
  { path }: Pick<ManifestFile, "path">,
  bytes: Buffer,
  redaction: Redaction,
): Buffer | undefined {
  const kind = identifyFile(path)?.kind;
  const row: FileRow | undefined = kind && DOCUMENTS[kind];
  let redacted: Buffer | undefined = bytes;
  if (kind === "wholeListing") redacted = redactCsv(path, bytes, redaction);
  else if (kind !== undefined && row?.redact !== undefined) {
    const value: unknown = parseDocument(kind, path, bytes);
    const shown = row.redact(value, redaction);
    if (shown !== value) redacted = shown === undefined ? undefined : encodeKind(kind, path, shown);
  }
  if (redacted === undefined) return undefined;
  assertSilent(path, redacted, redaction.hidden, row?.mayHoldWallets === true);
  return redacted.equals(bytes) ? bytes : redacted;
}

/** Throws `DOCUMENT_INVALID` where a text still names somebody hidden. */
function assertSilent(
  path: string,
  bytes: Buffer,
  { ids, wallets }: HiddenNames,
  mayHoldWallets: boolean,
): void {
  for (const [found] of bytes.toString("utf8").matchAll(IDENTIFIER)) {
    const name = found.toLowerCase();
    if (!ids.has(name) && (mayHoldWallets || !wallets.has(name))) continue;
    throw new SnapshotError("DOCUMENT_INVALID", `${path}: would go on naming an entity that opted out`, {
      path,
    });
  }
}

/** A whole ranking with bare rows where hidden ones stood; every other line keeps its very bytes. */
function redactCsv(path: string, bytes: Buffer, { hidden }: Redaction): Buffer {
  const [header = "", ...lines] = bytes.toString("utf8").split("\n");
  const shown = lines.map((line) => {
    if (line === "") return line;
    const item = delegateOfLine(path, line);
    const bare = bareRow(item, hidden);
    return bare === item ? line : delegateLines([bare]).trimEnd();
  });
  return Buffer.from([header, ...shown].join("\n"), "utf8");
}
