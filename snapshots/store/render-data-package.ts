import {
  DataPackage,
  type DescribedVersion,
  describeVersion,
  type TableSchemaOf,
} from "../format/data-package.ts";
import type { ManifestFile } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import { describeAgain } from "./describe-again.ts";
import { encodeDocument } from "./encode-document.ts";
import type { LocatedVersion } from "./locate-version.ts";
import { type RenderedFile, renderedFile } from "./rendered-file.ts";

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

/** `datapackage.json` of a kept version for these files instead of its own; none where it has none. Throws `SnapshotError`. */
export function renderDataPackageAgain(
  located: LocatedVersion,
  files: readonly ManifestFile[],
): readonly RenderedFile[] {
  const again = describeAgain(located, files);
  return again === undefined ? [] : [rendered(again)];
}
