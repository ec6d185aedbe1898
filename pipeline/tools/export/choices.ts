export const DATASET_NAMES = [
  "daos",
  "tracked",
  "indicators",
  "proposals",
  "delegates",
  "entities",
  "dgi",
  "history",
] as const;
export type DatasetName = (typeof DATASET_NAMES)[number];

export const EXPORT_FORMATS = ["csv", "ndjson", "parquet"] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];
