import type { DaoHistory, DaoSummary, RiskAssessment } from "../dao.ts";
import type { Evidence, Outcome } from "../evidence.ts";
import { linesDigest, measuresDigest } from "../evidence-digest.ts";
import { RISK_DECIMALS, roundTo, SCORE_DECIMALS } from "../ids.ts";
import { PATHS } from "../paths.ts";
import { MEASURE_COLUMNS } from "../proposal-line.ts";
import type { PublishedEvidence } from "../published-set.ts";
import { COMPONENT_KEYS } from "../value-sets.ts";
import {
  allDifferent,
  type Claim,
  type Disagreement,
  type DocumentSet,
  disagreementsAt,
  isAscending,
  unless,
} from "./disagreement.ts";

/** Evidence: of every tracked DAO once, in order, as of the version's moment and method, and of the scores that are published. */
export function checkEvidence(set: DocumentSet): readonly Disagreement[] {
  // A version made before there was any, or without, is complete in itself.
  if (set.evidence.length === 0) return [];
  const ids = set.evidence.map(({ evidence }) => evidence.space_id).toSorted();
  const tracked = [...set.daos, ...set.unscored].map((dao) => dao.space_id).toSorted();
  const isOfAll = ids.length === tracked.length && ids.every((id, index) => id === tracked[index]);
  const summaries = new Map(set.daos.map((dao) => [dao.space_id, dao]));
  const risks = new Map(set.risks.map((risk) => [risk.space_id, risk]));
  const histories = new Map(set.histories.map((history) => [history.space_id, history]));
  return [
    ...unless(isOfAll, "evidence", "is not of every tracked DAO, each once"),
    ...set.evidence.flatMap(({ evidence }) => {
      const { space_id: id, as_of, methodology_version, index } = evidence;
      return disagreementsAt(PATHS.evidence(id), [
        [as_of === set.asOf, "as_of is not that of the version"],
        [methodology_version === set.methodologyVersion, "methodology_version is not that of the version"],
        ...scoreClaims(evidence, summaries.get(id)),
        [isPublishedRisk(evidence, risks.get(id)), "risk is not that of the risk document"],
        [
          isFrozenPoint(evidence, histories.get(id)),
          `index_freeze is not the point of ${index.freeze_day} in ${PATHS.history(id)}`,
        ],
      ]);
    }),
  ];
}

/** What an outcome looks like once it is published; a gap is published as nothing. */
const published = (outcome: Outcome): number | undefined =>
  "points" in outcome ? roundTo(outcome.points, SCORE_DECIMALS) : undefined;

function scoreClaims(evidence: Evidence, summary: DaoSummary | undefined): readonly Claim[] {
  const gvs: Claim = [published(evidence.gvs) === summary?.gvs, `gvs is not that of ${PATHS.daos}`];
  if (summary === undefined) return [gvs];
  const isSameConfidence = evidence.gvs_confidence === summary.gvs_confidence;
  return [
    gvs,
    ...COMPONENT_KEYS.map((key): Claim => {
      const holds = published(evidence.components[key].after) === summary.components[key];
      return [holds, `components.${key} is not that of ${PATHS.daos}`];
    }),
    [isSameConfidence, `gvs_confidence is not that of ${PATHS.daos}`],
  ];
}

function isPublishedRisk({ risk }: Evidence, assessed: RiskAssessment | undefined): boolean {
  return ("score" in risk ? roundTo(risk.score, RISK_DECIMALS) : undefined) === assessed?.risk_score;
}

/** What the index chose its members by is what the history says of that day, which is rounded, or nothing where it has no such day. */
function isFrozenPoint({ index, measures }: Evidence, history: DaoHistory | undefined): boolean {
  const point = history?.points.find(({ date }) => date === index.freeze_day);
  const { index_freeze: freeze } = measures;
  const completeness = freeze && roundTo(freeze.completeness_pct, SCORE_DECIMALS);
  return (
    freeze?.attention_sum === point?.attention_sum && completeness === (point?.data_completeness ?? null)
  );
}

/** The lines behind one DAO's evidence: each proposal once, by its end, as many as were counted, and the very ones. */
export function checkProposalLines({ evidence, proposals }: PublishedEvidence): readonly Disagreement[] {
  const { space_id: id, frame, totals, lines_sha256: linesHash, measures_sha256: measuresHash } = evidence;
  // Unknown ends come first; an id breaks ties.
  const order = proposals.map(({ end_at: end, id }) => `${end ?? ""} ${id}`);
  return [
    ...disagreementsAt(PATHS.proposals(id), [
      [allDifferent(proposals.map((line) => line.id)), "holds a proposal twice"],
      [isAscending(order), "is not in the order of ends and ids"],
      [proposals.length === frame.known, "does not hold as many lines as are known"],
      ...MEASURE_COLUMNS.map((column): Claim => {
        const { length } = proposals.filter((line) => line[column] !== null);
        return [length === totals[column].known, `${column} is not known as often as the totals say`];
      }),
      [linesDigest(proposals) === linesHash, "is not the file that the evidence was made of"],
    ]),
    ...unless(
      measuresDigest(evidence) === measuresHash,
      PATHS.evidence(id),
      "measures are not those that the evidence was made of",
    ),
  ];
}
