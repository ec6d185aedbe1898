import type { DaoDetail, DaoSummary, ScoreIntervals } from "../dao.ts";
import { intervalsOf } from "../envelope.ts";
import type { Evidence } from "../evidence.ts";
import { linesDigest, measuresDigest } from "../evidence-digest.ts";
import { RISK_DECIMALS, roundTo, SCORE_DECIMALS } from "../ids.ts";
import { PATHS } from "../paths.ts";
import { MEASURE_COLUMNS } from "../proposal-line.ts";
import type { PublishedEvidence } from "../published-set.ts";
import { COMPONENT_KEYS, labelledPoints, labelOf } from "../value-sets.ts";
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
  const details = new Map(set.details.map((detail) => [detail.space_id, detail]));
  const unscored = new Map(set.unscored.map((dao) => [dao.space_id, dao]));
  return [
    ...unless(isOfAll, "evidence", "is not of every tracked DAO, each once"),
    ...set.evidence.flatMap(({ evidence }) => {
      const { space_id: id, as_of, methodology_version, risk } = evidence;
      const found = unscored.get(id);
      const summary = summaries.get(id);
      const isPublishedRisk =
        (summary && risk ? roundTo(risk.point, RISK_DECIMALS) : undefined) === risks.get(id)?.risk_score;
      return disagreementsAt(PATHS.evidence(id), [
        [as_of === set.asOf, "as_of is not that of the version"],
        [methodology_version === set.methodologyVersion, "methodology_version is not that of the version"],
        [
          (evidence.unscored ?? undefined) === found?.reason.code,
          `unscored is not that of ${PATHS.unscored}`,
        ],
        [
          found === undefined || isSameInterval(found.interval, intervalsOf(evidence)),
          `the interval is not that of ${PATHS.unscored}`,
        ],
        ...(summary === undefined ? [] : scoreClaims(evidence, summary)),
        ...labelClaims(evidence, details.get(id)),
        [isPublishedRisk, "risk is not that of the risk document"],
      ]);
    }),
  ];
}

const INTERVALS = ["gvs", ...COMPONENT_KEYS, "risk"] as const;

function isSameInterval(one: ScoreIntervals, other: ScoreIntervals): boolean {
  return INTERVALS.every((key) => one[key]?.[0] === other[key]?.[0] && one[key]?.[1] === other[key]?.[1]);
}

const published = (points: number): number => roundTo(points, SCORE_DECIMALS);

function scoreClaims(evidence: Evidence, summary: DaoSummary): readonly Claim[] {
  return [
    [published(evidence.gvs.point) === summary.gvs, `gvs is not that of ${PATHS.daos}`],
    ...COMPONENT_KEYS.map((key): Claim => {
      const holds = published(evidence.components[key].point) === summary.components[key];
      return [holds, `components.${key} is not that of ${PATHS.daos}`];
    }),
    [evidence.gvs_confidence === summary.gvs_confidence, `gvs_confidence is not that of ${PATHS.daos}`],
    [evidence.rank?.rank === summary.rank, `rank is not that of ${PATHS.daos}`],
  ];
}

function labelClaims({ components }: Evidence, detail: DaoDetail | undefined): readonly Claim[] {
  if (detail === undefined) return [];
  return COMPONENT_KEYS.map((key) => [
    detail.components[key].label === labelOf(published(labelledPoints(components[key]))),
    `the interval of components.${key} does not bear the label of ${PATHS.dao(detail.space_id)}`,
  ]);
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
