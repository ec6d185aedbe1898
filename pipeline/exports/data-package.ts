import type { HiddenNames } from "../../snapshots/format/hidden-entities.ts";
import type { ManifestFile } from "../../snapshots/format/manifest.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import { placeOf } from "../../snapshots/store/document-layout.ts";
import type { LocatedVersion } from "../../snapshots/store/locate-version.ts";
import type { Column, ColumnType } from "./column.ts";
import { DATASETS } from "./datasets.ts";
import { spaceOfPath } from "./files-of-dataset.ts";

/** What Frictionless calls our types. */
const FIELD_TYPES: Readonly<Record<ColumnType, string>> = {
  string: "string",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  date: "date",
  timestamp: "datetime",
};

const FILE_FORMATS: Readonly<Record<ManifestFile["media_type"], string>> = {
  "application/json": "json",
  "application/x-ndjson": "ndjson",
  "text/csv": "csv",
  "application/vnd.sqlite3": "sqlite",
};

function fieldOf({ name, type, unit, description, isNullable }: Column): object {
  return {
    name,
    type: FIELD_TYPES[type],
    description,
    ...(unit === "" ? {} : { unit }),
    ...(isNullable ? {} : { constraints: { required: true } }),
  };
}

const COMPONENTS_FIELD = {
  name: "components",
  type: "object",
  description: "The four component scores: hpr, dei, pdi, gpi.",
  constraints: { required: true },
};

/** The fields of the files that are tables as they lie there; whose they are is in their path and no field. */
function fieldsOf(path: string): readonly object[] | undefined {
  const spaceId = spaceOfPath(path);
  const withoutSpace = (columns: readonly Column[]) => columns.filter(({ name }) => name !== "space_id");
  if (path === PATHS.wholeListing(spaceId)) return withoutSpace(DATASETS.delegates.columns).map(fieldOf);
  if (path === PATHS.proposals(spaceId)) return withoutSpace(DATASETS.proposals.columns).map(fieldOf);
  if (path !== PATHS.daos) return undefined;
  return DATASETS.daos.columns.flatMap((each) => {
    if (each.path.length === 1) return [fieldOf(each)];
    return each.path.join(".") === "components.hpr" ? [COMPONENTS_FIELD] : [];
  });
}

function resourceOf({ path, bytes, sha256, media_type }: ManifestFile): object {
  const fields = fieldsOf(path);
  return {
    name: path.toLowerCase(),
    path,
    profile: fields === undefined ? "data-resource" : "tabular-data-resource",
    format: FILE_FORMATS[media_type],
    mediatype: media_type,
    ...(media_type === "application/vnd.sqlite3" ? {} : { encoding: "utf-8" }),
    bytes,
    hash: `sha256:${sha256}`,
    ...(fields === undefined ? {} : { schema: { fields, missingValues: [""] } }),
  };
}

/** A version as a Frictionless data package: every file that names nobody who opted out, its hash, and the fields of tables. */
export function dataPackage({ version, manifest }: LocatedVersion, { ids }: HiddenNames): object {
  const files = manifest.files.filter(({ path }) => {
    const place = placeOf(path);
    return place?.kind !== "entity" || !ids.has(place.id);
  });
  return {
    profile: "data-package",
    name: `govdata-${version.toLowerCase()}`,
    title: "Governance health of DAOs",
    description: `Scores of DAO governance as of ${manifest.as_of}. Paths are those inside the version's folder.`,
    version,
    created: manifest.created_at,
    as_of: manifest.as_of,
    sequence: manifest.sequence,
    methodology_version: manifest.methodology_version,
    sources: manifest.sources.map(({ source_id }) => ({ title: source_id })),
    resources: files.map(resourceOf),
  };
}
