import type { Column } from "./column.ts";
import { DAO_COLUMNS } from "./columns/dao-columns.ts";
import { DELEGATE_COLUMNS } from "./columns/delegate-columns.ts";
import { GOVERNANCE_INDEX_COLUMNS } from "./columns/governance-index-columns.ts";
import { HISTORY_COLUMNS } from "./columns/history-columns.ts";
import { PROPOSAL_COLUMNS } from "./columns/proposal-columns.ts";

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
