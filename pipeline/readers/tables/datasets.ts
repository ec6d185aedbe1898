import { placeOf } from "../../../snapshots/format/documents.ts";
import type { Manifest, ManifestFile } from "../../../snapshots/format/manifest.ts";
import { PATHS } from "../../../snapshots/format/paths.ts";
import {
  type Column,
  DAO_COLUMNS,
  DELEGATE_COLUMNS,
  GOVERNANCE_INDEX_COLUMNS,
  HISTORY_COLUMNS,
  PROPOSAL_COLUMNS,
} from "./columns.ts";

/** What can be exported. */
export const DATASET_NAMES = ["daos", "proposals", "delegates", "dgi", "history"] as const;
export type DatasetName = (typeof DATASET_NAMES)[number];

/** One table that can be made of a version. */
export interface Dataset {
  /** What a row is. */
  readonly description: string;
  /** The files of a version that it is made of, as a reader finds them. */
  readonly madeOf: string;
  readonly columns: readonly Column[];
}

/** The columns of every dataset: header, schemas, data dictionary and data package all come from here. */
export const DATASETS: Readonly<Record<DatasetName, Dataset>> = {
  daos: {
    description: "One row a scored DAO, by rank.",
    madeOf: "daos.json, daos/*.json, risk/*.json",
    columns: DAO_COLUMNS,
  },
  proposals: {
    description: "One row a known proposal of every tracked DAO, in the frame or not.",
    madeOf: "proposals/*.ndjson",
    columns: PROPOSAL_COLUMNS,
  },
  delegates: {
    description: "One row a delegate of every DAO with a listing: the whole ranking.",
    madeOf: "delegates/*/all.csv",
    columns: DELEGATE_COLUMNS,
  },
  dgi: {
    description: "One row a day of the index, then one for the index as of the version.",
    madeOf: "dgi-history.json, dgi.json",
    columns: GOVERNANCE_INDEX_COLUMNS,
  },
  history: {
    description: "One row a DAO and day with enough data.",
    madeOf: "history/*.json",
    columns: HISTORY_COLUMNS,
  },
};

/** Whose file it is: the middle of `proposals/<space_id>.ndjson` or a CSV in `delegates/<space_id>/`. */
export function spaceOfPath(path: string): string {
  return path.replace(/^[^/]+\//, "").replace(/(\.ndjson|\/(all|days)\.csv)$/, "");
}

const isWholeListing = (path: string): boolean => PATHS.wholeListing(spaceOfPath(path)) === path;
const kindOf = (path: string) => placeOf(path)?.kind;

/** Whether a dataset needs a file of a version. */
const NEEDED: Readonly<Record<DatasetName, (path: string) => boolean>> = {
  daos: (path) => ["daos", "dao", "risk"].includes(kindOf(path) ?? ""),
  proposals: (path) => PATHS.proposals(spaceOfPath(path)) === path,
  // Entities say who of the delegates may not be named.
  delegates: (path) => isWholeListing(path) || kindOf(path) === "entity",
  dgi: (path) => path === PATHS.dgi || path === PATHS.dgiHistory,
  history: (path) => kindOf(path) === "history",
};

/** The files of a version that a dataset is made of, by path. */
export function filesOfDataset(dataset: DatasetName, { files }: Manifest): readonly ManifestFile[] {
  return files
    .filter(({ path }) => NEEDED[dataset](path))
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
