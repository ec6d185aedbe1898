import { readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { readExplainedVersion } from "../../pipeline/tools/read-explained.ts";
import type { Evidence } from "../../snapshots/format/evidence.ts";
import { MARK_IDS } from "../../snapshots/format/proposal-line.ts";
import type { Rankings } from "../../snapshots/format/rankings.ts";
import { compareSqlDocuments, createNumberComparer, type NumberComparer } from "./compare-sql-documents.ts";
import { type AskRows, filesIn, type SqlRow, valueAt } from "./version-files.ts";

type Row = SqlRow;

/** The result of a comparison. */
export interface SqlComparison {
  /** Count of numbers that exist on both sides. */
  readonly numbers: number;
  readonly mismatches: readonly string[];
  /** Largest relative difference of unrounded numbers. */
  readonly furthest: number;
}

const COMPONENTS = ["hpr", "dei", "pdi", "gpi"] as const;

/** The path in the evidence of each number of `scored` and the tables that belong to it. */
const SCORE_PLACES: Readonly<Record<string, readonly string[]>> = {
  gvs: ["gvs", "point"],
  gvs_low: ["gvs", "low"],
  gvs_high: ["gvs", "high"],
  known_share: ["known_share"],
  unscored: ["unscored"],
  gvs_confidence: ["gvs_confidence"],
  index_weight: ["index_weight"],
  presence_low: ["presence", "low"],
  presence_high: ["presence", "high"],
  members: ["frame", "members"],
  eligible: ["frame", "eligible"],
  risk_score: ["risk", "point"],
  risk_low: ["risk", "low"],
  risk_high: ["risk", "high"],
  governance_capture_risk: ["risk", "governance_capture_risk"],
  whale_control_pct: ["risk", "whale_control_pct"],
  checkpoint_voting_pct: ["risk", "checkpoint_voting_pct"],
  completeness_pct: ["completeness_pct"],
};

/** Columns of the lines that have other names in SQL. */
const LINES = `SELECT candidate.space_id AS space_id, proposal.proposal_id AS proposal_id,
    COALESCE(verdict, CASE WHEN measured.proposal_no IS NOT NULL THEN 'MEMBER' WHEN attended.proposal_no IS NULL THEN 'IGNORED' ELSE 'OTHER_VOTERS' END) AS place,
    votes_count AS declared_votes, scores_total AS declared_power, candidate.power AS power, measured.attention AS attention,
    weighed.weight AS weight, measured.votes AS votes, found AS loyalty_attention, top_share, merged_top_share, whale_share,
    majority_voters, hhi_points, gini, CASE WHEN measured.proposal_no IS NOT NULL THEN quorum END AS quorum,
    CASE WHEN measured.proposal_no IS NOT NULL THEN quorum_power END AS quorum_power, fetched_share, fields_share
  FROM frame_of
  JOIN moment ON moment.moment_no = frame_of.moment_no
  JOIN candidate ON candidate.frame_no = frame_of.frame_no
  JOIN proposal ON proposal.proposal_no = candidate.proposal_no
  LEFT JOIN attended ON attended.frame_no = candidate.frame_no AND attended.proposal_no = candidate.proposal_no
  LEFT JOIN measured ON measured.frame_no = candidate.frame_no AND measured.proposal_no = candidate.proposal_no
  LEFT JOIN weighed ON weighed.moment_no = frame_of.moment_no AND weighed.proposal_no = candidate.proposal_no
  WHERE is_current = 1`;

const MARKS = `SELECT proposal.space_id AS space_id, proposal_id, indicator, low, high
  FROM frame_of
  JOIN moment ON moment.moment_no = frame_of.moment_no
  JOIN mark ON mark.frame_no = frame_of.frame_no
  JOIN proposal ON proposal.proposal_no = mark.proposal_no
  WHERE is_current = 1`;

const current = (table: string): string =>
  `SELECT ${table}.* FROM ${table} JOIN moment ON moment.moment_no = ${table}.moment_no WHERE is_current = 1`;

const key = (...names: readonly unknown[]): string => names.join(" ");

type Rows = ReadonlyMap<string, Row>;

async function byKey(rows: AskRows, sql: string, ...names: readonly string[]): Promise<Rows> {
  return new Map((await rows(sql)).map((row) => [key(...names.map((name) => row[name])), row]));
}

type Tables = Readonly<
  Record<"scores" | "components" | "indicators" | "activity" | "authors" | "delegates", Rows>
>;

/** Compares one DAO's evidence: scores, components, indicators, authors, activity and delegation. */
function compareEvidence(comparer: NumberComparer, evidence: unknown, tables: Tables): void {
  const space = String(valueAt(evidence, "space_id"));
  const compare = (name: string, path: readonly string[], row: Row | undefined, column: string): void =>
    comparer.same(`${space} ${name}`, valueAt(evidence, ...path), row?.[column]);
  const score = tables.scores.get(space);
  for (const [name, path] of Object.entries(SCORE_PLACES)) compare(name, path, score, name);
  for (const component of COMPONENTS) {
    const marks = tables.components.get(key(space, component));
    for (const end of ["low", "point", "high"])
      compare(component, ["components", component, end], marks, end);
    for (const row of valueAt(evidence, "components", component, "indicators") as readonly Row[]) {
      const indicator = tables.indicators.get(key(space, row["id"]));
      for (const name of ["low", "high", "weight"])
        comparer.same(`${space} ${row["id"]} ${name}`, row[name], indicator?.[name]);
    }
  }
  // A DAO without a frame has no rows.
  if (valueAt(evidence, "frame", "members") === 0) return;
  const activity = tables.activity.get(space);
  compare("active voters", ["measures", "active_voters"], activity, "active_voters");
  const authors = tables.authors.get(space) ?? { weight_sum: 0, proposal_squares: 0, author_squares: 0 };
  compare("authors", ["measures", "authors", "sum"], authors, "weight_sum");
  compare("authors' proposals", ["measures", "authors", "of_proposals"], authors, "proposal_squares");
  compare("authors' squares", ["measures", "authors", "of_authors"], authors, "author_squares");
  const delegates = tables.delegates.get(space);
  compare("HHI", ["measures", "delegation", "hhi_points"], delegates, "hhi_points");
  if (valueAt(evidence, "risk") === null) return;
  compare("proposals a month", ["risk", "proposals_per_month"], activity, "proposals_per_month");
  const centralization = "delegate_centralization";
  compare(centralization, ["risk", centralization], delegates, centralization);
}

/** Compares the rank of each DAO and its range; who is not ranked has none by SQL either. */
function compareRankings(
  comparer: NumberComparer,
  published: readonly Pick<Evidence, "space_id">[],
  rankings: Rankings,
  scores: Rows,
): void {
  const places = new Map(rankings.map((place) => [place.space_id, place]));
  for (const { space_id: space } of published)
    for (const name of ["rank", "best", "worst"] as const)
      comparer.same(`${space} ${name}`, places.get(space)?.[name], scores.get(space)?.[name]);
}

/** Compares every line of every DAO: the proposal's `place` and all its measures. */
async function compareLines(comparer: NumberComparer, rows: AskRows, version: string): Promise<void> {
  const left = new Map(await byKey(rows, LINES, "space_id", "proposal_id"));
  const marks = await byKey(rows, MARKS, "space_id", "proposal_id", "indicator");
  for (const file of filesIn(version, "proposals")) {
    const space = file.replace(/\.ndjson$/, "");
    for (const text of readFileSync(join(version, "proposals", file), "utf8").split("\n")) {
      if (text === "") continue;
      const line = JSON.parse(text) as Row;
      const what = key(space, line["id"]);
      const row = left.get(what);
      if (row === undefined) comparer.note(`${what}: not there by SQL`);
      for (const [name, value] of Object.entries(row ?? {}))
        if (name !== "space_id" && name !== "proposal_id")
          comparer.same(`${what} ${name}`, line[name], value);
      for (const id of MARK_IDS)
        for (const end of ["low", "high"])
          comparer.same(`${what} ${id}_${end}`, line[`${id}_${end}`], marks.get(key(what, id))?.[end]);
      left.delete(what);
    }
  }
  for (const what of left.keys()) comparer.note(`${what}: not published`);
}

/** Compares every number that the SQL computed with the files of a version. */
export async function compareSqlScores(input: {
  readonly rows: AskRows;
  /** The folder of the version that the export is of. */
  readonly version: string;
}): Promise<SqlComparison> {
  const { rows, version } = input;
  const comparer = createNumberComparer();
  const scores = await byKey(rows, "SELECT * FROM dao_score", "space_id");
  const tables = {
    scores,
    components: await byKey(rows, current("component"), "space_id", "component"),
    indicators: await byKey(rows, current("indicator_row"), "space_id", "indicator"),
    activity: await byKey(rows, current("activity"), "space_id"),
    authors: await byKey(rows, current("proposers"), "space_id"),
    delegates: await byKey(rows, "SELECT * FROM delegate_summary", "space_id"),
  };
  // A DAO with an empty frame has no file: its evidence is what the list of the unscored holds in its place.
  const { set } = readExplainedVersion(dirname(version), basename(version));
  const published = set.evidence.map(({ evidence }) => evidence);
  for (const evidence of published) compareEvidence(comparer, evidence, tables);
  compareRankings(comparer, published, set.rankings, scores);
  if (published.length !== scores.size)
    comparer.note(`${published.length} DAOs are published, ${scores.size} made by SQL`);
  await compareLines(comparer, rows, version);
  await compareSqlDocuments(comparer, rows, version, scores);
  return { numbers: comparer.compared(), mismatches: comparer.mismatches, furthest: comparer.furthest() };
}
