import type { Entity } from "../format/entity.ts";
import { type HiddenEntity, hiddenNames } from "../format/hidden-entities.ts";
import type { ManifestFile } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import { topEntitiesOf } from "../format/top-entities.ts";
import { buildIndex } from "./build-index.ts";
import { FILE_SHAPES, placeOf } from "./document-layout.ts";
import { indexContent } from "./index-content.ts";
import { type LocatedVersion, manifestFile } from "./locate-version.ts";
import { parseJsonFile } from "./parse-json-file.ts";
import { type Redaction, redactFile } from "./redact-file.ts";
import { renderDataPackageAgain } from "./render-data-package.ts";
import { type RenderedFile, renderedFile } from "./rendered-file.ts";
import { SnapshotError } from "./snapshot-error.ts";
import { readVerified } from "./verified-file.ts";

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

/** Every entity that a version publishes; throws `SnapshotError` where it is damaged. */
export function entitiesOf({ directory, manifest }: LocatedVersion): readonly Entity[] {
  return manifest.files
    .filter(({ path }) => placeOf(path)?.kind === "entity")
    .map((file) => parseJsonFile(file.path, readVerified(directory, file), FILE_SHAPES.entity));
}

/** The entities of a version whose files can be read, whatever is wrong with others. */
export function readableEntitiesOf(located: LocatedVersion): readonly Entity[] {
  return located.manifest.files.flatMap((file) => {
    try {
      return entitiesOf({ ...located, manifest: { ...located.manifest, files: [file] } });
    } catch (error) {
      if (error instanceof SnapshotError) return [];
      throw error;
    }
  });
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
