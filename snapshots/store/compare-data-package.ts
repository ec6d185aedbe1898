import { isDeepStrictEqual } from "node:util";
import { type DataPackage, type DataResource, dataResource } from "../format/data-package.ts";
import type { Manifest } from "../format/manifest.ts";
import { PATHS } from "../format/paths.ts";
import { DELEGATE_HEADER, delegateDays } from "./render-documents.ts";
import type { SnapshotProblem } from "./snapshot-problem.ts";

const DAYS_HEADER = delegateDays([]).toString("utf8");

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

/** Files of one kind are tables of one kind: those of another DAO lie in another folder. */
const kindOf = ({ format, path }: DataResource): string =>
  format === "csv" ? path.slice(path.lastIndexOf("/") + 1) : format;

/**
 * What is said of tables: fields only where there is a table, the columns of a CSV in the order of its header, and the
 * same of every file of a kind. Which words describe them is free: those of later programs may be better.
 */
function tableProblems(resources: readonly DataResource[]): readonly SnapshotProblem[] {
  const schemaOf = new Map<string, DataResource["schema"]>();
  return resources.flatMap((resource) => {
    const { path, format, schema } = resource;
    const isTable = format === "csv" || format === "ndjson" || path === PATHS.daos;
    if (!isTable) return schema === undefined ? [] : [differs(`gives fields to ${path}, which is no table`)];
    const kind = kindOf(resource);
    if (!schemaOf.has(kind)) schemaOf.set(kind, schema);
    const isSame = isDeepStrictEqual(schema, schemaOf.get(kind));
    const header = path.endsWith("/days.csv") ? DAYS_HEADER : DELEGATE_HEADER;
    const names = schema?.fields.map(({ name }) => name).join(",");
    const isOfHeader = format !== "csv" || schema === undefined || `${names}\n` === header;
    return [
      ...(isSame ? [] : [differs(`gives ${path} other fields than a table of its kind`)]),
      ...(isOfHeader ? [] : [differs(`gives ${path} other fields than its columns`)]),
    ];
  });
}

/** What a data package says of files that the manifest does not: each named once, with its size, hash and columns, and no other. */
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
  return [...problems, ...tableProblems(found.resources)];
}
