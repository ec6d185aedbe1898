import { z } from "zod";
import { Count, MethodologyVersion, Timestamp } from "./ids.ts";
import { IMPRINT, type Imprint } from "./imprint.ts";
import { type Manifest, ManifestFile, ManifestSource } from "./manifest.ts";
import { PlainText } from "./text.ts";

/** The fields of a tabular file, as a Frictionless table schema; an empty text means "not known". */
export const TableSchema = z.strictObject({
  fields: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z][a-z0-9_]*$/),
        type: z.enum(["string", "integer", "number", "boolean", "date", "datetime", "object"]),
        description: PlainText,
        unit: PlainText.optional(),
        constraints: z.strictObject({ required: z.literal(true) }).optional(),
      }),
    )
    .min(1),
  missingValues: z.tuple([z.literal("")]),
});
export type TableSchema = z.infer<typeof TableSchema>;

const DataResource = z.strictObject({
  name: z.string().regex(/^[-a-z0-9._/]+$/),
  path: ManifestFile.shape.path,
  profile: z.enum(["data-resource", "tabular-data-resource"]),
  format: z.enum(["json", "ndjson", "csv", "sqlite"]),
  mediatype: ManifestFile.shape.media_type,
  encoding: z.literal("utf-8").optional(),
  bytes: Count,
  hash: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  schema: ManifestFile.shape.path.optional(),
});
type DataResource = z.infer<typeof DataResource>;

/**
 * `datapackage.json`: a version as a Frictionless data package. It lists every file but itself and the manifest. It
 * omits the version's name, which contains the manifest's hash and so depends on this file, and the time of the run.
 */
export const DataPackage = z.strictObject({
  profile: z.literal("data-package"),
  name: z.string().regex(/^[-a-z0-9._/]+$/),
  title: PlainText,
  description: PlainText,
  as_of: Timestamp,
  methodology_version: MethodologyVersion,
  ...IMPRINT,
  sources: z.array(z.strictObject({ title: ManifestSource.shape.source_id })),
  resources: z.array(DataResource).min(1),
});
export type DataPackage = z.infer<typeof DataPackage>;

export const DATA_PACKAGE_PATH = "datapackage.json";

const FILE_FORMATS: Readonly<Record<ManifestFile["media_type"], DataResource["format"]>> = {
  "application/json": "json",
  "application/x-ndjson": "ndjson",
  "text/csv": "csv",
  "application/vnd.sqlite3": "sqlite",
};

function dataResource(
  { path, bytes, sha256, media_type }: ManifestFile,
  schema: DataResource["schema"],
): DataResource {
  return {
    name: path.toLowerCase(),
    path,
    profile: schema === undefined ? "data-resource" : "tabular-data-resource",
    format: FILE_FORMATS[media_type],
    mediatype: media_type,
    ...(media_type === "application/vnd.sqlite3" ? {} : { encoding: "utf-8" }),
    bytes,
    hash: `sha256:${sha256}`,
    ...(schema === undefined ? {} : { schema }),
  };
}

/**
 * Describes a version as a data package, from fields of its manifest; `schemaOf` returns the path of a table's schema.
 * The resources are generated on each iteration, because every one of tens of thousands of DAOs has several.
 */
export function describeVersion(
  {
    as_of,
    methodology_version,
    sources,
    files,
    imprint = {},
  }: Pick<Manifest, "as_of" | "methodology_version"> & {
    readonly sources: readonly Pick<ManifestSource, "source_id">[];
    readonly files: readonly ManifestFile[];
    readonly imprint?: Imprint | undefined;
  },
  schemaOf: (path: string) => DataResource["schema"],
): Omit<DataPackage, "resources"> & { readonly resources: Iterable<DataResource> } {
  const described = files
    .filter(({ path }) => path !== DATA_PACKAGE_PATH)
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
  return {
    profile: "data-package",
    name: "govdata",
    title: "Governance health of DAOs",
    description: `Scores of DAO governance as of ${as_of}. ${imprint.invented === true ? "The organisations are invented. " : ""}Paths are those inside the version's folder.`,
    as_of,
    methodology_version,
    ...imprint,
    sources: sources.map(({ source_id }) => ({ title: source_id })),
    resources: {
      *[Symbol.iterator]() {
        for (const file of described) yield dataResource(file, schemaOf(file.path));
      },
    },
  };
}
