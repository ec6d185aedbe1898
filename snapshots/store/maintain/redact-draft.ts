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
import { type LocatedVersion, manifestFile } from "../read/locate-version.ts";
import { delegateOfLine } from "../read/read-documents.ts";
import { parseJsonFile } from "../read/read-pointer.ts";
import { readable, SnapshotError } from "../read/snapshot-error.ts";
import { readVerified } from "../read/verified-file.ts";
import { indexRowsOf, renderIndex } from "../write/build-index.ts";
import {
  delegateLines,
  encodeDocument,
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
  // Files with other bytes; the index, built anew, as a page of the old one could hold what was deleted; and the data
  // package, which names all of them.
  const files: RenderedFile[] = [];
  const kept: ManifestFile[] = [];
  // One file is left out for each entity.
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
  const changed = new Map(files.map((file) => [file.entry.path, file.bytes]));
  const entries = [...files.map(({ entry }) => entry), ...kept];
  const bytesOf = (path: string) =>
    changed.get(path) ?? readVerified(directory, manifestFile(manifest, path));
  return renderIndex(indexRowsOf(manifest, entries, bytesOf));
}

/**
 * The bytes of a file without whom opted out: the very same where it names nobody, nothing where it was all about one
 * of them. Throws `SnapshotError` where a file still names somebody afterwards.
 */
export function redactFile({ path }: ManifestFile, bytes: Buffer, redaction: Redaction): Buffer | undefined {
  const kind = identifyFile(path)?.kind;
  const row: FileRow | undefined = kind && DOCUMENTS[kind];
  let redacted: Buffer | undefined = bytes;
  if (kind === "wholeListing") redacted = redactCsv(path, bytes, redaction);
  else if (row?.redact !== undefined) {
    const value = parseJsonFile(path, bytes, row.shape);
    const shown = row.redact(value, redaction);
    if (shown !== value) redacted = shown === undefined ? undefined : encodeDocument(path, row.shape, shown);
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
