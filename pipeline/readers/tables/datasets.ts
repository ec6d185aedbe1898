import { type FileKind, identifyFile } from "../../../snapshots/format/documents.ts";
import type { Manifest, ManifestFile } from "../../../snapshots/format/manifest.ts";
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

/** The kinds of file that a dataset needs. */
const NEEDED: Readonly<Record<DatasetName, readonly FileKind[]>> = {
  daos: ["daos", "dao", "risk"],
  proposals: ["proposals"],
  // Entities say who of the delegates may not be named.
  delegates: ["wholeListing", "entity"],
  dgi: ["dgi", "dgiHistory"],
  history: ["history"],
};

/** The files of a version that a dataset is made of, by path. */
export function filesOfDataset(dataset: DatasetName, { files }: Manifest): readonly ManifestFile[] {
  return files
    .filter(({ path }) => {
      const kind = identifyFile(path)?.kind;
      return kind !== undefined && NEEDED[dataset].includes(kind);
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
