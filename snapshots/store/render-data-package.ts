import {
  DataPackage,
  type DescribedVersion,
  describeVersion,
  type TableSchemaOf,
} from "../format/data-package.ts";
import type { ManifestFile } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import { encodeDocument } from "./encode-document.ts";
import type { LocatedVersion } from "./locate-version.ts";
import { parseJsonFile } from "./parse-json-file.ts";
import { type RenderedFile, renderedFile } from "./rendered-file.ts";
import { readVerified } from "./verified-file.ts";

function rendered(value: DataPackage): RenderedFile {
  const path = PATHS.dataPackage;
  return renderedFile(encodeDocument(path, DataPackage, value), {
    path,
    records: 1,
    media_type: "application/json",
  });
}

/** `datapackage.json` of a version that is being made, from what the manifest will say of its other files. */
export function renderDataPackage(version: DescribedVersion, tableSchemaOf: TableSchemaOf): RenderedFile {
  return rendered(describeVersion(version, tableSchemaOf));
}

/**
 * `datapackage.json` of a kept version for these files instead of its own: the same words and fields, other hashes. A
 * version that has none gets none, as what its tables meant was never written down. Throws `SnapshotError`.
 */
export function renderDataPackageAgain(
  { directory, manifest }: LocatedVersion,
  files: readonly ManifestFile[],
): readonly RenderedFile[] {
  const entry = manifest.files.find(({ path }) => path === PATHS.dataPackage);
  if (entry === undefined) return [];
  const before = parseJsonFile(entry.path, readVerified(directory, entry), DataPackage);
  const schemas = new Map(before.resources.map(({ path, schema }) => [path, schema]));
  const { resources } = describeVersion({ ...manifest, files }, (path) => schemas.get(path));
  return [rendered({ ...before, resources })];
}
