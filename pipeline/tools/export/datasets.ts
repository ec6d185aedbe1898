import { type FileKind, identifyFile } from "../../../snapshots/format/documents.ts";
import type { Manifest, ManifestFile } from "../../../snapshots/format/manifest.ts";
import {
  COMPONENT_COLUMNS,
  type Column,
  columnsOf,
  DAO_COLUMNS,
  DELEGATE_COLUMNS,
  PROPOSAL_COLUMNS,
} from "../../documents/columns.ts";
import { DATASET_NAMES, type DatasetName } from "./choices.ts";

/** The leading columns of a dataset with rows of several versions. */
export const VERSION_COLUMNS = columnsOf(`
  version   string     -  Name of the row's version.
  sequence  integer    -  Sequence of the version: one higher with each publication.
  as_of     timestamp  -  The moment of the version.
`);

const IN_EVERY_ROW = new Set(["space_id", "name", "category", "last_calculated"]);

/** One row per tracked DAO: those of `DAO_COLUMNS`, empty for a DAO without a score where only one has a value. */
export const TRACKED_COLUMNS: readonly Column[] = [
  ...DAO_COLUMNS.map((given) => (IN_EVERY_ROW.has(given.name) ? given : { ...given, isNullable: true })),
  ...columnsOf(`
    unscored         string?  -  Why it has no score, as a code; null for a scored DAO.
    unscored_reason  string?  -  The same in words.
  `),
];

export const INDICATOR_COLUMNS = columnsOf(`
  space_id   string  -          The DAO.
  component  string  -          hpr, dei, pdi, gpi.
  id         string  -          The indicator.
  low        number  mark       Low end of its mark over the frame, 0 to 1.
  high       number  mark       High end of its mark.
  weight     number  proposals  Weight of the proposals on which it is known.
  points     number  points     Its part of the component's low end.
`);

export const ENTITY_COLUMNS = columnsOf(`
  entity_id               string      -          The entity.
  label                   string      -          Its name.
  space_id                string      -          The DAO.
  name                    string      -          The DAO's name.
  voting_power_share_pct  number?     %          Its share of cast power; null if none of the DAO's is known.
  proposals_voted         integer     proposals  Proposals on which it voted.
  proposals_known         integer     proposals  Proposals of which it is known whether it voted.
  proposals_unknown       integer     proposals  Proposals of which it is not known.
  participation_pct       number?     %          Share of the known proposals on which it voted, by weight.
  participation_low_pct   number?     %          Low end of its interval.
  participation_high_pct  number?     %          High end of its interval.
  first_vote_at           timestamp?  -          Its first vote; null if it only holds delegated power.
  last_vote_at            timestamp?  -          Its last vote; null likewise.
  delegate_rank           integer?    place      Its rank among the delegates; null if it is none.
`);

export const GOVERNANCE_INDEX_COLUMNS: readonly Column[] = [
  ...columnsOf(`
    point      string  -       day: at the end of a day; current: at the version's moment.
    date       date?   -       The day; null for the current point.
    composite  number  points  Decentralized Governance Index, 0 to 10.
  `),
  ...COMPONENT_COLUMNS,
  ...columnsOf(`
    composite_low   number?     points  Low end of the index; null where unknown.
    composite_high  number?     points  High end of the index; null where unknown.
    dao_count       integer?    DAOs    DAOs in the index; published for the current point only.
    calculated_at   timestamp?  -       The moment of the current point; null for a day.
  `),
];

export const HISTORY_COLUMNS: readonly Column[] = [
  ...columnsOf(`
    space_id             string  -       The DAO.
    date                 date    -       The day, scored at its end.
    methodology_version  string  -       The method; points of different methods are not comparable.
    gvs                  number  points  Governance Vitality Score, 0 to 10.
  `),
  ...COMPONENT_COLUMNS,
  ...columnsOf(`
    risk_score         number?  points  Risk, 0 to 100; null if it is not assessed.
    data_completeness  number   %       Share of the data reported by the source that was fetched.
    index_weight       number   share   Weight of the DAO in the index; not rounded.
  `),
];

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
