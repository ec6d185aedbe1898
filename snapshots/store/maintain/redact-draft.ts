import { DOCUMENTS, type FileRow, identifyFile, valuesOf } from "../../format/documents.ts";
import { type Entity, topEntitiesOf } from "../../format/entity.ts";
import {
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
import { documentsAt, parseDocument, readDocument } from "../read/parse-document.ts";
import { readable, snapshotFailure } from "../read/snapshot-error.ts";
import { readVerified } from "../read/verified-file.ts";
import { certaintyIn, indexRowsOf, renderIndex } from "../write/build-index.ts";
import {
  encodeKind,
  type RenderedFile,
  renderDataPackageAgain,
  renderedFile,
} from "../write/render-documents.ts";

export type RedactedDraft = NonNullable<ReturnType<typeof draftRedaction>>;

/** Files that are derived from all others, and so are built again instead of redacted. */
const DERIVED_FILES: ReadonlySet<string> = new Set([PATHS.index, PATHS.dataPackage]);

/** Drafts a version without these entities; undefined if it names none of them. Throws `SnapshotFailure` if it is damaged. */
export function draftRedaction(located: LocatedVersion, hiddenEntities: readonly HiddenEntity[]) {
  const redaction = redactionOf(located, hiddenEntities);
  const changed: RenderedFile[] = [];
  const kept: ManifestFile[] = [];
  // One file is dropped per entity.
  let droppedCount = 0;
  const { directory, manifest } = located;
  for (const file of manifest.files.filter(({ path }) => !DERIVED_FILES.has(path))) {
    const bytes = readVerified(directory, file);
    const redacted = redactFile(file, bytes, redaction);
    if (redacted === undefined) droppedCount += 1;
    else if (redacted !== bytes) changed.push(renderedFile(redacted, file));
    else kept.push(file);
  }
  if (droppedCount === 0 && changed.length === 0) return undefined;
  // Then the index, built anew because a page of the old one could contain deleted rows, and the data package, which lists
  // all files.
  const files = [...changed, renderIndexOf(located, changed, kept)];
  const described = renderDataPackageAgain(located, [...files.map(({ entry }) => entry), ...kept]);
  // Checked like any other file: throws if it still names a hidden entity.
  redactFile(described.entry, described.bytes, redaction);
  return { located, files: [...files, described], kept, droppedCount };
}

function entityIdsIn({ manifest }: LocatedVersion): readonly string[] {
  return manifest.files.flatMap(({ path }) => {
    const identity = identifyFile(path);
    return identity?.kind === "entity" ? [identity.id] : [];
  });
}

export function entitiesOf(located: LocatedVersion): readonly Entity[] {
  return entityIdsIn(located).map((id) => readDocument(located, "entity", id));
}

export function readableEntitiesOf(located: LocatedVersion): readonly Entity[] {
  return entityIdsIn(located).flatMap((id) => readable(() => readDocument(located, "entity", id)) ?? []);
}

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
  const paths = [...files.map(({ entry }) => entry), ...kept].map(({ path }) => path);
  const documents = documentsAt(paths, bytesOf);
  const certainty = certaintyIn(documents, valuesOf(documents, "rankings")[0] ?? []);
  return renderIndex(indexRowsOf({ ...manifest, certainty }, documents, bytesOf));
}

/**
 * Removes hidden entities from a file. Returns the same bytes if it names none, undefined if it is about one of them.
 * Throws `SnapshotFailure` if it still names one afterwards.
 */
function redactFile(
  { path }: Pick<ManifestFile, "path">,
  bytes: Buffer,
  redaction: Redaction,
): Buffer | undefined {
  const kind = identifyFile(path)?.kind;
  const row: FileRow | undefined = kind && DOCUMENTS[kind];
  let redacted: Buffer | undefined = bytes;
  if (kind !== undefined && row?.redact !== undefined) {
    const value: unknown = parseDocument(kind, path, bytes);
    const shown = row.redact(value, redaction);
    if (shown !== value) redacted = shown === undefined ? undefined : encodeKind(kind, path, shown);
  }
  if (redacted === undefined) return undefined;
  assertRedacted(path, redacted, redaction.hidden, row?.mayHoldWallets === true);
  return redacted.equals(bytes) ? bytes : redacted;
}

/** Throws `DOCUMENT_INVALID` if a file still names a hidden entity. */
function assertRedacted(
  path: string,
  bytes: Buffer,
  { ids, wallets }: HiddenNames,
  mayHoldWallets: boolean,
): void {
  for (const [identifier] of bytes.toString("utf8").matchAll(IDENTIFIER)) {
    const name = identifier.toLowerCase();
    if (!ids.has(name) && (mayHoldWallets || !wallets.has(name))) continue;
    throw snapshotFailure("DOCUMENT_INVALID", `${path}: would still name an entity that opted out`, {
      path,
    });
  }
}
