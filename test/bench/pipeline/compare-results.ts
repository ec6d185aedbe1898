import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** How far a rival's numbers lie from ours. */
export interface Comparison {
  readonly rival: string;
  readonly numbers: number;
  /** Largest relative difference of unrounded numbers. */
  readonly furthest: number;
  /** Rounded points of past days that were compared. */
  readonly historyPoints: number;
}

type Row = Readonly<Record<string, unknown>>;

/** What is one number differs by no more than this, relatively. */
const TOLERANCE = 1e-9;
/** Published history is rounded: half of the last place, and what rounding at a tie may differ. */
const ROUNDED = { score: 0.005 + 1e-6, risk: 0.05 + 1e-6 };
const MISMATCHES_SHOWN = 10;
const NAMES = new Set(["space_id", "proposal_id"]);

function linesOf(path: string): Row[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Row);
}

function at(value: unknown, ...path: readonly string[]): unknown {
  let found = value;
  for (const key of path) found = (found as Row | undefined)?.[key];
  return found;
}

/** A number, or nothing; a database may write large whole ones as text. */
function numberOf(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}

/** Our numbers of a DAO by the rivals' names. */
function ourScores(evidence: Row): Record<string, unknown> {
  const scores: Record<string, unknown> = {
    gvs: at(evidence, "gvs", "points"),
    risk: at(evidence, "risk", "score"),
    active_voters: at(evidence, "risk", "active_voter_count"),
    batch_voting_pct: at(evidence, "risk", "checkpoint_voting_pct"),
    dominance: at(evidence, "risk", "dominance_floor"),
    smallness: at(evidence, "risk", "smallness_floor"),
    base: at(evidence, "risk", "base"),
    proposals_per_month: at(evidence, "risk", "proposals_per_month"),
    whale_control_pct: at(evidence, "risk", "whale_control_pct"),
    completeness_pct: at(evidence, "completeness", "pct"),
    expected_heads: at(evidence, "measures", "expected_heads"),
    effective_proposers: at(evidence, "measures", "effective_proposers"),
    heads_mean: at(evidence, "frame", "heads_mean"),
    unclustered_mean: at(evidence, "frame", "unclustered_heads_mean"),
  };
  for (const name of ["members", "attention_sum", "effective_proposals", "evidence_share"])
    scores[name] = at(evidence, "frame", name);
  for (const name of ["hpr", "dei", "pdi", "gpi"]) {
    scores[name] = at(evidence, "components", name, "before", "points");
    scores[`${name}_after`] = at(evidence, "components", name, "after", "points");
  }
  return scores;
}

interface Comparer {
  compare(what: string, own: unknown, theirs: unknown): void;
  /** Of numbers that are published rounded. */
  compareRounded(what: string, own: unknown, theirs: unknown, within: number): void;
  note(mismatch: string): void;
  /** Throws where anything differed. */
  finish(rival: string): Pick<Comparison, "numbers" | "furthest">;
}

function createComparer(): Comparer {
  const mismatches: string[] = [];
  let numbers = 0;
  let furthest = 0;
  const note = (mismatch: string): void => void mismatches.push(mismatch);
  return {
    note,
    compare(what, own, theirs) {
      const [a, b] = [numberOf(own), numberOf(theirs)];
      numbers += 1;
      if (a === b) return;
      const relative =
        Math.abs((a ?? Number.NaN) - (b ?? Number.NaN)) / Math.max(Math.abs(a ?? 0), Math.abs(b ?? 0));
      if (relative <= TOLERANCE) furthest = Math.max(furthest, relative);
      else note(`${what}: ours ${a}, theirs ${b}`);
    },
    compareRounded(what, own, theirs, within) {
      const difference = Math.abs((numberOf(own) ?? Number.NaN) - (numberOf(theirs) ?? Number.NaN));
      if (!(difference <= within)) note(`${what}: ours ${own}, theirs ${theirs}`);
    },
    finish(rival) {
      const shown = mismatches.slice(0, MISMATCHES_SHOWN).join("\n");
      if (mismatches.length > 0)
        throw new Error(`bench: ${rival} differs in ${mismatches.length}, first\n${shown}`);
      return { numbers, furthest };
    },
  };
}

function compareScores(comparer: Comparer, version: string, results: string): void {
  const scores = new Map(linesOf(join(results, "scores.ndjson")).map((row) => [row["space_id"], row]));
  for (const file of readdirSync(join(version, "evidence"))) {
    const evidence = JSON.parse(readFileSync(join(version, "evidence", file), "utf8")) as Row;
    const space = String(evidence["space_id"]);
    const theirs = scores.get(space);
    // Nothing is published of a DAO without a frame but why.
    if (theirs === undefined && at(evidence, "frame", "members") !== 0)
      comparer.note(`${space}: theirs is missing`);
    if (theirs === undefined) continue;
    for (const [name, own] of Object.entries(ourScores(evidence)))
      comparer.compare(`${space} ${name}`, own, theirs[name]);
    scores.delete(space);
  }
  for (const left of scores.keys()) comparer.note(`${left}: ours is missing`);
}

function compareMembers(comparer: Comparer, version: string, results: string): void {
  const members = new Map(linesOf(join(results, "members.ndjson")).map((row) => [row["proposal_id"], row]));
  for (const file of readdirSync(join(version, "proposals")))
    for (const own of linesOf(join(version, "proposals", file))) {
      if (own["place"] !== "MEMBER") continue;
      const theirs = members.get(own["id"]);
      if (theirs === undefined) comparer.note(`${file} ${own["id"]}: theirs is missing`);
      for (const [name, value] of Object.entries(theirs ?? {}))
        if (!NAMES.has(name)) comparer.compare(`${file} ${own["id"]} ${name}`, own[name], value);
      members.delete(own["id"]);
    }
  for (const left of members.keys()) comparer.note(`${left}: ours is missing`);
}

/** A past day as published; the number of points that were compared. */
function compareDay(
  comparer: Comparer,
  version: string,
  results: string,
  place: number,
  dayMs: number,
): number {
  const date = new Date(dayMs).toISOString().slice(0, 10);
  let compared = 0;
  for (const theirs of linesOf(join(results, `day-${place}.ndjson`))) {
    const history = JSON.parse(readFileSync(join(version, "history", `${theirs["space_id"]}.json`), "utf8"));
    const own = (at(history, "points") as readonly Row[]).find((each) => each["date"] === date);
    // A day without a score has no point.
    if (own === undefined && theirs["gvs"] === null) continue;
    compared += 1;
    const what = `${theirs["space_id"]} on ${date}`;
    comparer.compareRounded(`${what} gvs`, at(own, "gvs"), theirs["gvs"], ROUNDED.score);
    for (const name of ["hpr", "dei", "pdi", "gpi"])
      comparer.compareRounded(
        `${what} ${name}`,
        at(own, "components", name),
        theirs[`${name}_after`],
        ROUNDED.score,
      );
    comparer.compareRounded(`${what} risk`, at(own, "risk_score"), theirs["risk"], ROUNDED.risk);
  }
  return compared;
}

/** Compares every number of every DAO, member and sampled day. Throws where one differs, is missing or too much. */
export function compareResults(input: {
  readonly rival: string;
  readonly version: string;
  readonly results: string;
  readonly sampleDaysMs: readonly number[];
}): Comparison {
  const { rival, version, results, sampleDaysMs } = input;
  const comparer = createComparer();
  compareScores(comparer, version, results);
  compareMembers(comparer, version, results);
  let historyPoints = 0;
  for (const [place, dayMs] of sampleDaysMs.entries())
    historyPoints += compareDay(comparer, version, results, place, dayMs);
  return { rival, ...comparer.finish(rival), historyPoints };
}
