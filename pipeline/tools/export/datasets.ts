import { type FileKind, identifyFile } from "../../../snapshots/format/documents.ts";
import type { Manifest, ManifestFile } from "../../../snapshots/format/manifest.ts";
import {
  type Column,
  DAO_COLUMNS,
  DELEGATE_COLUMNS,
  ENTITY_COLUMNS,
  GOVERNANCE_INDEX_COLUMNS,
  HISTORY_COLUMNS,
  INDICATOR_COLUMNS,
  PROPOSAL_COLUMNS,
  TRACKED_COLUMNS,
  VERSION_COLUMNS,
} from "../../documents/columns.ts";
import { DATASET_NAMES, type DatasetName } from "./choices.ts";

interface Dataset {
  readonly description: string;
  /** The files of a version that it is made from, as patterns for readers. */
  readonly madeOf: string;
  readonly needs: readonly FileKind[];
  readonly columns: readonly Column[];
}

/** All datasets; headers, schemas, data dictionary and data package are made from them. */
export const DATASETS: Readonly<Record<DatasetName, Dataset>> = {
  daos: {
    description: "One row per scored DAO, by rank.",
    madeOf: "daos.json, rankings.json, daos/*.json, risk/*.json, evidence/*.json",
    needs: ["daos", "rankings", "dao", "risk", "evidence"],
    columns: DAO_COLUMNS,
  },
  tracked: {
    description: "One row per tracked DAO: the scored by rank, then the others by id.",
    madeOf: "unscored.json and the files of `daos`",
    needs: ["daos", "rankings", "dao", "risk", "evidence", "unscored"],
    columns: TRACKED_COLUMNS,
  },
  indicators: {
    description: "One row per indicator of each component of every DAO with a proposal in its frame.",
    madeOf: "evidence/*.json",
    needs: ["evidence"],
    columns: INDICATOR_COLUMNS,
  },
  entities: {
    description: "One row per entity and DAO in which it takes part.",
    madeOf: "entities/*.json",
    needs: ["entity"],
    columns: ENTITY_COLUMNS,
  },
  proposals: {
    description: "One row per known proposal of every tracked DAO, in the frame or not.",
    madeOf: "proposals/*.ndjson",
    needs: ["proposals"],
    columns: PROPOSAL_COLUMNS,
  },
  delegates: {
    description: "One row per delegate of every DAO with a listing: the whole ranking.",
    madeOf: "delegates/*/all.csv",
    // Entities decide which delegates may not be named.
    needs: ["wholeListing", "entity"],
    columns: DELEGATE_COLUMNS,
  },
  dgi: {
    description: "One row per day of the index, then one for the current index.",
    madeOf: "dgi-history.json, dgi.json",
    needs: ["dgi", "dgiHistory"],
    columns: GOVERNANCE_INDEX_COLUMNS,
  },
  history: {
    description: "One row per DAO and day with enough data.",
    madeOf: "history/*.json",
    needs: ["history"],
    columns: HISTORY_COLUMNS,
  },
};

/** The files of a version that are of these kinds, by path. */
export function filesOfKinds(kinds: readonly FileKind[], { files }: Manifest): readonly ManifestFile[] {
  return files
    .filter(({ path }) => {
      const kind = identifyFile(path)?.kind;
      return kind !== undefined && kinds.includes(kind);
    })
    .toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The data dictionary as Markdown: every dataset with its columns, their types, units and nullability. */
export function dataDictionary(): string {
  return parts()
    .map(({ title, about, columns }) => columnSection(title, about, columns))
    .join("\n");
}

export function columnSection(title: string, about: string, columns: readonly Column[]): string {
  return [
    `## ${title}`,
    "",
    about,
    "",
    "| column | type | unit | null | what it is |",
    "|---|---|---|---|---|",
    ...columns.map(
      ({ name, type, unit, isNullable, description }) =>
        `| \`${name}\` | ${type} | ${unit} | ${isNullable ? "yes" : ""} | ${description} |`,
    ),
    "",
  ].join("\n");
}

/** The same dictionary as a value, for `--json`. */
export function dataDictionaryValue(): object {
  return Object.fromEntries(
    parts().map(({ title, columns }) => [
      title.replace("with --", "").replaceAll("-", "_"),
      columns.map(({ name, type, unit, isNullable, description }) => ({
        name,
        type,
        unit,
        nullable: isNullable,
        description,
      })),
    ]),
  );
}

function parts() {
  const datasets = DATASET_NAMES.map((name) => {
    const { description, madeOf, columns } = DATASETS[name];
    return { title: name, about: `${description} Made of \`${madeOf}\`.`, columns };
  });
  const about = "These three stand before the columns of every dataset.";
  return [...datasets, { title: "with --all-versions", about, columns: VERSION_COLUMNS }];
}
