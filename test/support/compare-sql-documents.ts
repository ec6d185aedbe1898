import { join } from "node:path";
import { roundTo } from "../../snapshots/format/ids.ts";
import { type AskRows, filesIn, readJson, type SqlRow, valueAt } from "./version-files.ts";

/** Numbers with at most this relative difference count as equal. */
const TOLERANCE = 1e-9;
/** Rounding at a tie may differ if the last bits differ. */
const TIE_SLACK = 1e-6;

/** Compares numbers of two origins and keeps the differences. */
export interface NumberComparer {
  /** Compares values: null, undefined and NULL are gaps, texts must be equal, true is 1. */
  same(what: string, expected: unknown, actual: unknown): void;
  /** Compares numbers that are published with this many decimals. */
  rounded(what: string, expected: unknown, actual: unknown, decimals: number): void;
  note(mismatch: string): void;
  readonly mismatches: readonly string[];
  /** Count of numbers that exist on both sides. */
  compared(): number;
  /** Largest relative difference among equal numbers. */
  furthest(): number;
}

const isAbsent = (value: unknown): boolean => value === null || value === undefined;
const plain = (value: unknown): unknown => (typeof value === "boolean" ? Number(value) : value);

/** Creates a comparer without results. */
export function createNumberComparer(): NumberComparer {
  const mismatches: string[] = [];
  let compared = 0;
  let furthest = 0;
  const note = (mismatch: string): void => void mismatches.push(mismatch);

  const same = (what: string, expected: unknown, actual: unknown): void => {
    if (isAbsent(expected) || isAbsent(actual)) {
      if (isAbsent(expected) !== isAbsent(actual)) note(`${what}: published ${expected}, by SQL ${actual}`);
      return;
    }
    const [a, b] = [Number(plain(expected)), Number(plain(actual))];
    if (Number.isNaN(a) && Number.isNaN(b) && expected === actual) return;
    compared += 1;
    // A number that should be 0 may differ by the rounding of sums.
    if (Math.abs(a - b) <= 1e-12) return;
    const relative = Math.abs(a - b) / Math.max(Math.abs(a), Math.abs(b));
    if (relative <= TOLERANCE) furthest = Math.max(furthest, relative);
    else note(`${what}: published ${expected}, by SQL ${actual}`);
  };
  const rounded = (what: string, expected: unknown, actual: unknown, decimals: number): void => {
    if (isAbsent(expected) || isAbsent(actual)) {
      same(what, expected, actual);
      return;
    }
    compared += 1;
    const [a, b] = [Number(expected), Number(actual)];
    if (roundTo(b, decimals) === a || Math.abs(a - b) <= 0.5 / 10 ** decimals + TIE_SLACK) return;
    note(`${what}: published ${expected}, by SQL ${actual}`);
  };
  return { same, rounded, note, mismatches, compared: () => compared, furthest: () => furthest };
}

type Row = SqlRow;
const COMPONENTS = ["hpr", "dei", "pdi", "gpi"] as const;
const dateOf = (atMs: unknown): string => new Date(Number(atMs)).toISOString().slice(0, 10);

/** Compares the list, the details and the risks: ranks, changes and labels. */
function compareDaos(comparer: NumberComparer, version: string, scores: ReadonlyMap<string, Row>): void {
  for (const dao of readJson(version, "daos.json") as readonly Row[]) {
    const space = String(dao["space_id"]);
    const score = scores.get(space);
    comparer.same(`${space} rank`, dao["rank"], score?.["rank"]);
    comparer.rounded(`${space} delta_24h`, dao["delta_24h"], score?.["delta_24h"], 2);
    const detail = readJson(version, join("daos", `${space}.json`));
    comparer.same(`${space} total`, valueAt(detail, "rankings", "overall", "total"), score?.["ranked"]);
    comparer.same(
      `${space} category rank`,
      valueAt(detail, "rankings", "category", "rank"),
      score?.["category_rank"],
    );
    comparer.same(
      `${space} category total`,
      valueAt(detail, "rankings", "category", "total"),
      score?.["category_total"],
    );
  }
  for (const file of filesIn(version, "risk")) {
    const risk = readJson(version, join("risk", file));
    const score = scores.get(String(valueAt(risk, "space_id")));
    comparer.rounded(`${file} risk_score`, valueAt(risk, "risk_score"), score?.["risk_score"], 1);
    comparer.same(`${file} trend`, valueAt(risk, "trend"), score?.["risk_trend"]);
  }
}

/** Compares the days of every history that the SQL computed, and the gvs of the last 30 days. */
async function compareHistories(comparer: NumberComparer, rows: AskRows, version: string): Promise<void> {
  const points = await rows("SELECT * FROM daily_point WHERE is_history_day = 1 ORDER BY at_ms");
  const [days] = await rows("SELECT MIN(at_ms) AS first_ms FROM moment WHERE is_history_day = 1");
  const firstDay = dateOf(days?.["first_ms"]);
  const left = new Map(points.map((point) => [`${point["space_id"]} ${dateOf(point["at_ms"])}`, point]));
  for (const file of filesIn(version, "history")) {
    const history = readJson(version, join("history", file));
    const space = String(valueAt(history, "space_id"));
    for (const point of valueAt(history, "points") as readonly Row[]) {
      if (String(point["date"]) < firstDay) continue;
      const what = `${space} ${point["date"]}`;
      const row = left.get(what);
      comparer.rounded(`${what} gvs`, point["gvs"], row?.["gvs"], 2);
      for (const name of COMPONENTS)
        comparer.rounded(`${what} ${name}`, valueAt(point, "components", name), row?.[name], 2);
      comparer.rounded(`${what} risk`, point["risk_score"], row?.["risk_score"], 1);
      comparer.rounded(`${what} completeness`, point["data_completeness"], row?.["completeness_pct"], 2);
      comparer.same(`${what} index weight`, point["index_weight"], row?.["index_weight"]);
      left.delete(what);
    }
  }
  for (const what of left.keys()) comparer.note(`${what}: a day that is not published`);
  for (const file of filesIn(version, "daos")) {
    const detail = readJson(version, join("daos", file));
    const daoPoints = points.filter((point) => point["space_id"] === valueAt(detail, "space_id"));
    const gvs = valueAt(detail, "history", "gvs_30d") as readonly number[];
    const last = daoPoints.slice(-gvs.length);
    gvs.forEach((value, index) => {
      comparer.rounded(`${file} gvs_30d ${index}`, value, last[index]?.["gvs"], 2);
    });
  }
}

/** Compares the index of the version and of every day that the SQL computed. */
async function compareIndex(comparer: NumberComparer, rows: AskRows, version: string): Promise<void> {
  const indexes = await rows("SELECT * FROM governance_index");
  const left = new Map(
    indexes.map((row) => [Number(row["is_current"]) === 1 ? "current" : dateOf(row["at_ms"]), row]),
  );
  const [days] = await rows("SELECT MIN(at_ms) AS first_ms FROM moment WHERE is_history_day = 1");
  const compare = (what: string, expected: unknown): void => {
    const actual = left.get(what);
    comparer.rounded(`dgi ${what}`, valueAt(expected, "composite"), actual?.["composite"], 2);
    for (const name of COMPONENTS)
      comparer.rounded(`dgi ${what} ${name}`, valueAt(expected, "components", name), actual?.[name], 2);
    left.delete(what);
  };
  const files = filesIn(version, ".");
  if (files.includes("dgi.json")) {
    const dgi = readJson(version, "dgi.json");
    comparer.same("dgi dao_count", valueAt(dgi, "dao_count"), left.get("current")?.["dao_count"]);
    const [low, high] = valueAt(dgi, "interval", "composite") as readonly unknown[];
    comparer.rounded("dgi low", low, left.get("current")?.["composite_low"], 2);
    comparer.rounded("dgi high", high, left.get("current")?.["composite_high"], 2);
    compare("current", dgi);
  }
  if (files.includes("dgi-history.json"))
    for (const value of valueAt(readJson(version, "dgi-history.json"), "values") as readonly Row[])
      if (String(value["date"]) >= dateOf(days?.["first_ms"])) compare(String(value["date"]), value);
  for (const what of left.keys()) comparer.note(`dgi ${what}: not published`);
}

/** Compares the latest listing of every DAO, also with a replay of its logs if it has logs. */
async function compareDelegates(comparer: NumberComparer, rows: AskRows, version: string): Promise<void> {
  const ranks = new Map(
    (await rows("SELECT * FROM delegate_rank")).map((row) => [`${row["space_id"]} ${row["address"]}`, row]),
  );
  const summaries = new Map(
    (await rows("SELECT * FROM delegate_summary")).map((row) => [row["space_id"], row]),
  );
  const replayed = await rows("SELECT * FROM replayed_listing");
  for (const space of filesIn(version, "delegates")) {
    const listing = readJson(version, join("delegates", space, "latest.json"));
    const summary = summaries.get(space);
    comparer.same(
      `${space} total_delegates`,
      valueAt(listing, "total_delegates"),
      summary?.["total_delegates"],
    );
    for (const name of ["t1_voting_power_pct", "t2_voting_power_pct", "t3_voting_power_pct"])
      comparer.rounded(`${space} ${name}`, valueAt(listing, "summary", name), summary?.[name], 2);
    for (const name of ["t1_avg_delegators", "t2_avg_delegators"])
      comparer.rounded(`${space} ${name}`, valueAt(listing, "summary", name), summary?.[name], 2);
    for (const row of valueAt(listing, "delegates") as readonly Row[]) {
      const rank = ranks.get(`${space} ${row["address"]}`);
      for (const name of ["rank", "delegators_count", "weight_tier"])
        comparer.same(`${space} ${row["address"]} ${name}`, row[name], rank?.[name]);
      comparer.rounded(
        `${space} ${row["address"]} share`,
        row["votes_share_pct"],
        rank?.["votes_share_pct"],
        2,
      );
    }
  }
  for (const row of replayed) {
    const space = String(row["space_id"]);
    // A list that is newer than the logs replaces them.
    if (!filesIn(version, "graph").includes(`${space}.json`)) continue;
    comparer.same(
      `${space} replayed delegates`,
      summaries.get(space)?.["total_delegates"],
      row["total_delegates"],
    );
    comparer.same(`${space} replayed HHI`, summaries.get(space)?.["hhi_points"], row["hhi_points"]);
  }
}

/** Compares the participations of entities with those of persons; the export does not show who is who. */
async function compareEntities(comparer: NumberComparer, rows: AskRows, version: string): Promise<void> {
  const round = (value: unknown): string => (value === null ? "null" : Number(value).toFixed(2));
  const timeOf = (value: unknown): string =>
    value === null ? "null" : new Date(Number(value)).toISOString();
  const persons = await rows(
    "SELECT * FROM person_participation WHERE person_id IN (SELECT person_id FROM voter WHERE is_labelled = 1)",
  );
  const known = new Map<string, number>();
  const add = (text: string): void => void known.set(text, (known.get(text) ?? 0) + 1);
  for (const row of persons)
    add(
      [
        ...[
          row["space_id"],
          row["proposals_voted"],
          round(row["participation_pct"]),
          round(row["power_share_pct"]),
        ],
        ...[timeOf(row["first_vote_ms"]), timeOf(row["last_vote_ms"])],
      ].join(" "),
    );
  for (const file of filesIn(version, "entities"))
    for (const row of valueAt(
      readJson(version, join("entities", file)),
      "dao_participations",
    ) as readonly Row[]) {
      if (row["proposals_voted"] === 0) continue;
      const text = [
        ...[row["space_id"], row["proposals_voted"], round(row["participation_pct"])],
        ...[
          round(row["voting_power_share_pct"]),
          row["first_vote_at"] ?? "null",
          row["last_vote_at"] ?? "null",
        ],
      ].join(" ");
      comparer.same(`${file} ${row["space_id"]} ${text}`, 1, known.has(text) ? 1 : 0);
    }
}

/** Compares all documents but the evidence: ranks, histories, index, delegates and entities, all rounded. */
export async function compareSqlDocuments(
  comparer: NumberComparer,
  rows: AskRows,
  version: string,
  scores: ReadonlyMap<string, Row>,
): Promise<void> {
  compareDaos(comparer, version, scores);
  await compareHistories(comparer, rows, version);
  await compareIndex(comparer, rows, version);
  await compareDelegates(comparer, rows, version);
  await compareEntities(comparer, rows, version);
}
