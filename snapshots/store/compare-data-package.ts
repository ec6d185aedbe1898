import { isDeepStrictEqual } from "node:util";
import { type DataPackage, type DataResource, dataResource } from "../format/data-package.ts";
import type { Manifest } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import type { SnapshotProblem } from "./snapshot-problem.ts";

function differs(message: string): SnapshotProblem {
  const path = PATHS.dataPackage;
  return { path, code: "DATA_PACKAGE_DIFFERS", message: `${path}: ${message}` };
}

function aboutProblems(manifest: Manifest, found: DataPackage): readonly SnapshotProblem[] {
  const isSame = {
    as_of: found.as_of === manifest.as_of,
    methodology_version: found.methodology_version === manifest.methodology_version,
    sources: isDeepStrictEqual(
      found.sources.map(({ title }) => title),
      manifest.sources.map(({ source_id }) => source_id),
    ),
  };
  return Object.entries(isSame).flatMap(([key, holds]) =>
    holds ? [] : [differs(`${key} is not that of the manifest`)],
  );
}

/** What a data package says of files that the manifest does not: each named once, with its size and hash, and no other. */
export function compareDataPackage(manifest: Manifest, found: DataPackage): readonly SnapshotProblem[] {
  const problems = [...aboutProblems(manifest, found)];
  const resources = new Map<string, DataResource>();
  for (const resource of found.resources) {
    if (resources.has(resource.path)) problems.push(differs(`names ${resource.path} twice`));
    resources.set(resource.path, resource);
  }
  for (const file of manifest.files) {
    if (file.path === PATHS.dataPackage) continue;
    const resource = resources.get(file.path);
    resources.delete(file.path);
    if (resource === undefined) problems.push(differs(`does not name ${file.path}`));
    else if (!isDeepStrictEqual(resource, dataResource(file, resource.schema))) {
      problems.push(differs(`does not say of ${file.path} what the manifest says`));
    }
  }
  for (const path of resources.keys()) problems.push(differs(`names ${path}, which the manifest does not`));
  return problems;
}
