import { DataPackage, describeVersion } from "../format/data-package.ts";
import type { ManifestFile } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import type { LocatedVersion } from "./locate-version.ts";
import { parseJsonFile } from "./parse-json-file.ts";
import { readVerified } from "./verified-file.ts";

/**
 * What the `datapackage.json` of a kept version says, of these files instead of its own: the same words and fields, other
 * hashes. Nothing where the version has none, as what its tables meant was never written down. Throws `SnapshotError`.
 */
export function describeAgain(
  { directory, manifest }: LocatedVersion,
  files: readonly ManifestFile[],
): DataPackage | undefined {
  const entry = manifest.files.find(({ path }) => path === PATHS.dataPackage);
  if (entry === undefined) return undefined;
  const before = parseJsonFile(entry.path, readVerified(directory, entry), DataPackage);
  const schemas = new Map(before.resources.map(({ path, schema }) => [path, schema]));
  const { resources } = describeVersion({ ...manifest, files }, (path) => schemas.get(path));
  return { ...before, resources };
}
