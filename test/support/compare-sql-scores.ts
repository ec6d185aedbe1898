import { readFileSync } from "node:fs";
import { join } from "node:path";
import { compareSqlDocuments } from "./compare-sql-documents.ts";
import { createNumberComparer, type NumberComparer } from "./number-comparer.ts";
import { type AskRows, at, filesIn, readJson, type SqlRow } from "./version-files.ts";

type Row = SqlRow;

/** What came of a comparison. */
export interface SqlComparison {
  /** Numbers that were there on both sides. */
  readonly numbers: number;
  readonly mismatches: readonly string[];
  /** Largest relative difference of unrounded numbers. */
  readonly furthest: number;
}

const COMPONENTS = ["hpr", "dei", "pdi", "gpi"] as const;

/** Where each number of `dao_score` stands in the evidence. */
const SCORE_PLACES: Readonly<Record<string, readonly string[]>> = {
  gvs: ["gvs", "points"],
  gvs_gap: ["gvs", "gap"],
  gvs_confidence: ["gvs_confidence"],
  ...Object.fromEntries(
    COMPONENTS.flatMap((key) => [
      [key, ["components", key, "after", "points"]],
      [`${key}_gap`, ["components", key, "after", "gap"]],
      [`${key}_before`, ["components", key, "before", "points"]],
    ]),
  ),
  risk_score: ["risk", "score"],
  risk_gap: ["risk", "gap"],
  risk_base: ["risk", "base"],
  dominance_floor: ["risk", "dominance_floor"],
  smallness_floor: ["risk", "smallness_floor"],
  governance_capture_risk: ["risk", "governance_capture_risk"],
  whale_control_pct: ["risk", "whale_control_pct"],
  proposals_per_month: ["risk", "proposals_per_month"],
  proposal_velocity: ["risk", "proposal_velocity"],
  checkpoint_voting_pct: ["risk", "checkpoint_voting_pct"],
  completeness_pct: ["completeness", "pct"],
  known: ["frame", "known"],
  members: ["frame", "members"],
  missing: ["frame", "missing"],
  attended: ["frame", "attended"],
  eligible: ["frame", "eligible"],
  attention_sum: ["frame", "attention_sum"],
  effective_proposals: ["frame", "effective_proposals"],
  evidence_share: ["frame", "evidence_share"],
  heads_mean: ["frame", "heads_mean"],
  unclustered_heads_mean: ["frame", "unclustered_heads_mean"],
  freshness: ["measures", "freshness"],
  active_voters: ["measures", "active_voters"],
  expected_heads: ["measures", "expected_heads"],
  is_coordination_assessed: ["measures", "is_coordination_assessed"],
  clusters: ["measures", "clusters"],
  clustered_wallets: ["measures", "clustered_wallets"],
  effective_proposers: ["measures", "effective_proposers"],
  delegation_hhi_points: ["measures", "delegation", "hhi_points"],
  freeze_attention_sum: ["measures", "index_freeze", "attention_sum"],
  freeze_completeness_pct: ["measures", "index_freeze", "completeness_pct"],
  is_index_member: ["index", "is_member"],
};

const key = (...names: readonly unknown[]): string => names.join(" ");

async function byKey(
  rows: AskRows,
  sql: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, Row>> {
  return new Map((await rows(sql)).map((row) => [key(...names.map((name) => row[name])), row]));
}

/** What one piece of evidence says of scores, indicators, parts of completeness, places and diagnostics. */
function compareEvidence(
  comparer: NumberComparer,
  evidence: unknown,
  found: Readonly<Record<"scores" | "indicators" | "medians" | "places", ReadonlyMap<string, Row>>>,
): void {
  const space = String(at(evidence, "space_id"));
  const score = found.scores.get(space);
  for (const [name, path] of Object.entries(SCORE_PLACES))
    comparer.same(`${space} ${name}`, at(evidence, ...path), score?.[name]);
  for (const part of (at(evidence, "completeness", "parts") ?? []) as readonly Row[])
    if (part["id"] !== "freshness")
      comparer.same(
        `${space} completeness ${part["id"]}`,
        part["value"],
        score?.[`completeness_${part["id"]}`],
      );
  const excluded = (at(evidence, "frame", "excluded") ?? {}) as Row;
  for (const [place, count] of Object.entries(excluded))
    comparer.same(`${space} ${place}`, count, found.places.get(key(space, place))?.["count"]);
  // Of a DAO without a frame nothing is published but why.
  if (at(evidence, "frame", "members") === 0) return;
  if (at(evidence, "risk", "gap") === undefined)
    comparer.same(
      `${space} delegate_centralization`,
      at(evidence, "risk", "delegate_centralization"),
      score?.["delegate_centralization"],
    );
  for (const component of COMPONENTS)
    for (const row of at(evidence, "components", component, "indicators") as readonly Row[]) {
      const own = found.indicators.get(key(space, component, row["id"]));
      for (const name of ["role", "raw", "position", "value", "weight", "effective_weight"])
        comparer.same(`${space} ${component} ${row["id"]} ${name}`, row[name], own?.[name]);
    }
  for (const name of ["gini", "hhi_points", "entropy_bits", "banzhaf_top"])
    comparer.same(
      `${space} median ${name}`,
      at(evidence, "diagnostics", name),
      found.medians.get(key(space, name))?.["value"],
    );
  comparer.same(
    `${space} banzhaf_proposals`,
    at(evidence, "diagnostics", "banzhaf_proposals"),
    found.medians.get(key(space, "banzhaf_top"))?.["proposals"] ?? 0,
  );
}

/** Every line of every DAO: where the proposal stands, and all that was measured of it. */
async function compareLines(comparer: NumberComparer, rows: AskRows, version: string): Promise<void> {
  const measures = new Map(await byKey(rows, "SELECT * FROM proposal_measure", ["space_id", "proposal_id"]));
  for (const file of filesIn(version, "proposals")) {
    const space = file.replace(/\.ndjson$/, "");
    for (const text of readFileSync(join(version, "proposals", file), "utf8").split("\n")) {
      if (text === "") continue;
      const line = JSON.parse(text) as Row;
      const own = measures.get(key(space, line["id"]));
      if (own === undefined) comparer.note(`${space} ${line["id"]}: not there by SQL`);
      for (const [name, value] of Object.entries(own ?? {}))
        if (name !== "space_id" && name !== "proposal_id")
          comparer.same(`${space} ${line["id"]} ${name}`, line[name], value);
      measures.delete(key(space, line["id"]));
    }
  }
  for (const left of measures.keys()) comparer.note(`${left}: not published`);
}

/** Compares every number that the SQL made with what is published in the folder of a version. */
export async function compareSqlScores(input: {
  readonly rows: AskRows;
  /** The folder of the version that the export is of. */
  readonly version: string;
}): Promise<SqlComparison> {
  const { rows, version } = input;
  const comparer = createNumberComparer();
  const scores = await byKey(rows, "SELECT * FROM dao_score", ["space_id"]);
  const found = {
    scores,
    indicators: await byKey(rows, "SELECT * FROM indicator_row", ["space_id", "component", "indicator"]),
    medians: await byKey(rows, "SELECT * FROM diagnostic_median", ["space_id", "measure"]),
    places: await byKey(
      rows,
      "SELECT space_id, place, COUNT(*) AS count FROM proposal_measure GROUP BY space_id, place",
      ["space_id", "place"],
    ),
  };
  const published = filesIn(version, "evidence").map((file) => readJson(version, join("evidence", file)));
  for (const evidence of published) compareEvidence(comparer, evidence, found);
  if (published.length !== scores.size)
    comparer.note(`${published.length} DAOs are published, ${scores.size} made by SQL`);
  await compareLines(comparer, rows, version);
  await compareSqlDocuments(comparer, rows, version, scores);
  return { numbers: comparer.compared(), mismatches: comparer.mismatches, furthest: comparer.furthest() };
}
