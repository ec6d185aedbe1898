import type { DaoHistory, DaoSummary, RiskAssessment } from "../dao.ts";
import { type Evidence, linesDigest, measuresDigest, type Outcome } from "../evidence.ts";
import { RISK_DECIMALS, roundTo, SCORE_DECIMALS } from "../ids.ts";
import { PATHS } from "../paths.ts";
import { MEASURE_COLUMNS } from "../proposal-line.ts";
import type { PublishedEvidence } from "../published-set.ts";
import { COMPONENT_KEYS } from "../value-sets.ts";
import { allDifferent, type Disagreement, type DocumentSet, isAscending, unless } from "./disagreement.ts";

/** What an outcome looks like once it is published; a gap is published as nothing. */
const published = (outcome: Outcome): number | undefined =>
  "points" in outcome ? roundTo(outcome.points, SCORE_DECIMALS) : undefined;

function checkScores(evidence: Evidence, summary: DaoSummary | undefined): Disagreement[] {
  const path = PATHS.evidence(evidence.space_id);
  return [
    ...unless(published(evidence.gvs) === summary?.gvs, path, `gvs is not that of ${PATHS.daos}`),
    ...COMPONENT_KEYS.flatMap((key) =>
      unless(
        summary === undefined || published(evidence.components[key].after) === summary.components[key],
        path,
        `components.${key} is not that of ${PATHS.daos}`,
      ),
    ),
    ...unless(
      summary === undefined || evidence.gvs_confidence === summary.gvs_confidence,
      path,
      `gvs_confidence is not that of ${PATHS.daos}`,
    ),
  ];
}

function checkRisk(
  { space_id: spaceId, risk }: Evidence,
  assessed: RiskAssessment | undefined,
): readonly Disagreement[] {
  const score = "score" in risk ? roundTo(risk.score, RISK_DECIMALS) : undefined;
  return unless(
    score === assessed?.risk_score,
    PATHS.evidence(spaceId),
    "risk is not that of the risk document",
  );
}

/** What the index chose its members by is what the history says of that day, which is rounded, or nothing where it has no such day. */
function checkFreeze(
  { space_id: spaceId, index, measures }: Evidence,
  history: DaoHistory | undefined,
): readonly Disagreement[] {
  const point = history?.points.find(({ date }) => date === index.freeze_day);
  const { index_freeze: freeze } = measures;
  return unless(
    freeze?.attention_sum === point?.attention_sum &&
      (freeze && roundTo(freeze.completeness_pct, SCORE_DECIMALS)) === (point?.data_completeness ?? null),
    PATHS.evidence(spaceId),
    `index_freeze is not the point of ${index.freeze_day} in ${PATHS.history(spaceId)}`,
  );
}

/** Evidence: of every tracked DAO once, in order, as of the version's moment and method, and of the scores that are published. */
export function checkEvidence(set: DocumentSet): readonly Disagreement[] {
  // A version made before there was any, or without, is complete in itself.
  if (set.evidence.length === 0) return [];
  const ids = set.evidence.map(({ evidence }) => evidence.space_id);
  const tracked = [...set.daos, ...set.unscored].map((dao) => dao.space_id).toSorted();
  const summaries = new Map(set.daos.map((dao) => [dao.space_id, dao]));
  const risks = new Map(set.risks.map((risk) => [risk.space_id, risk]));
  const histories = new Map(set.histories.map((history) => [history.space_id, history]));
  return [
    ...unless(
      ids.length === tracked.length && ids.toSorted().every((id, place) => id === tracked[place]),
      "evidence",
      "is not of every tracked DAO, each once",
    ),
    ...set.evidence.flatMap(({ evidence }) => [
      ...unless(
        evidence.as_of === set.asOf,
        PATHS.evidence(evidence.space_id),
        "as_of is not that of the version",
      ),
      ...unless(
        evidence.methodology_version === set.methodologyVersion,
        PATHS.evidence(evidence.space_id),
        "methodology_version is not that of the version",
      ),
      ...checkScores(evidence, summaries.get(evidence.space_id)),
      ...checkRisk(evidence, risks.get(evidence.space_id)),
      ...checkFreeze(evidence, histories.get(evidence.space_id)),
    ]),
  ];
}

/** The lines behind one DAO's evidence: each proposal once, by its end, as many as were counted, and the very ones. */
export function checkProposalLines({ evidence, proposals }: PublishedEvidence): readonly Disagreement[] {
  const path = PATHS.proposals(evidence.space_id);
  // Unknown ends come first; an id breaks ties.
  const order = proposals.map(({ end_at: end, id }) => `${end ?? ""} ${id}`);
  return [
    ...unless(allDifferent(proposals.map(({ id }) => id)), path, "holds a proposal twice"),
    ...unless(isAscending(order), path, "is not in the order of ends and ids"),
    ...unless(proposals.length === evidence.frame.known, path, "does not hold as many lines as are known"),
    ...MEASURE_COLUMNS.flatMap((column) =>
      unless(
        proposals.filter((line) => line[column] !== null).length === evidence.totals[column].known,
        path,
        `${column} is not known as often as the totals say`,
      ),
    ),
    ...unless(
      linesDigest(proposals) === evidence.lines_sha256,
      path,
      "is not the file that the evidence was made of",
    ),
    ...unless(
      measuresDigest(evidence) === evidence.measures_sha256,
      PATHS.evidence(evidence.space_id),
      "measures are not those that the evidence was made of",
    ),
  ];
}
