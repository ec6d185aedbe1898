import type { DaoDetail, DaoSummary } from "../dao.ts";
import { intervalsOf } from "../envelope.ts";
import type { Evidence } from "../evidence.ts";
import { linesDigest, measuresDigest } from "../evidence-digest.ts";
import { RISK_DECIMALS, roundTo, SCORE_DECIMALS } from "../ids.ts";
import { PATHS } from "../paths.ts";
import { MEASURE_COLUMNS } from "../proposal-line.ts";
import type { EmptyFrame, PublishedEvidence, VersionLists } from "../published-set.ts";
import { COMPONENT_KEYS, labelledPoints, labelOf } from "../value-sets.ts";
import {
  allDifferent,
  type Claim,
  type Disagreement,
  type DocumentPart,
  disagreementsAt,
  isAscending,
  isEqual,
  unless,
} from "./disagreement.ts";

/** Checks that every tracked DAO whose frame is not empty has evidence, and no other; `explained` are those that have it. */
export function checkExplained(
  { daos, unscored }: VersionLists,
  explained: readonly string[],
): readonly Disagreement[] {
  // A version without any evidence is complete: it may have nothing but empty frames.
  if (explained.length === 0) return [];
  const framed = [...daos, ...unscored.filter((dao) => dao.empty_frame === undefined)]
    .map((dao) => dao.space_id)
    .toSorted();
  const isOfAll =
    explained.length === framed.length && explained.toSorted().every((id, index) => id === framed[index]);
  return unless(isOfAll, "evidence", "does not cover every DAO with a proposal in its frame exactly once");
}

/** Checks the evidence of one DAO against the version's moment, its method and the published scores. */
export function checkEvidence(part: DocumentPart): readonly Disagreement[] {
  const { spaceId: id, listed, unscored: unscoredDao } = part;
  const summary = listed?.summary;
  return part.evidence.flatMap(({ evidence }) => {
    const { as_of, methodology_version, risk } = evidence;
    const isPublishedRisk =
      (summary && risk ? roundTo(risk.point, RISK_DECIMALS) : undefined) === part.risks[0]?.risk_score;
    return disagreementsAt(PATHS.evidence(id), [
      [as_of === part.asOf, "as_of is not that of the version"],
      [methodology_version === part.methodologyVersion, "methodology_version is not that of the version"],
      [evidence.frame.members > 0, "is of a DAO whose frame is empty"],
      [
        (evidence.unscored ?? undefined) === unscoredDao?.reason.code,
        `unscored is not that of ${PATHS.unscored}`,
      ],
      [
        unscoredDao === undefined || isEqual(unscoredDao.interval, intervalsOf(evidence)),
        `the interval is not that of ${PATHS.unscored}`,
      ],
      ...(summary === undefined ? [] : scoreClaims(evidence, summary)),
      ...labelClaims(evidence, part.details[0]),
      [isPublishedRisk, "risk is not that of the risk document"],
    ]);
  });
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
  ];
}

function labelClaims({ components }: Evidence, detail: DaoDetail | undefined): readonly Claim[] {
  if (detail === undefined) return [];
  return COMPONENT_KEYS.map((key) => [
    detail.components[key].label === labelOf(published(labelledPoints(components[key]))),
    `the interval of components.${key} does not have the label of ${PATHS.dao(detail.space_id)}`,
  ]);
}

function linesClaims(proposals: PublishedEvidence["proposals"]): readonly Claim[] {
  // Unknown ends come first; an id breaks ties.
  const order = proposals.map(({ end_at: end, id }) => `${end ?? ""} ${id}`);
  return [
    [allDifferent(proposals.map((line) => line.id)), "contains a proposal twice"],
    [isAscending(order), "is not sorted by end and ID"],
  ];
}

export function checkEmptyFrame({ spaceId, proposals }: EmptyFrame): readonly Disagreement[] {
  const isEmpty = proposals.every(({ place }) => place !== "MEMBER");
  return disagreementsAt(PATHS.proposals(spaceId), [
    ...linesClaims(proposals),
    [isEmpty, "has a proposal in the frame, but there is no evidence"],
  ]);
}

/** Checks the lines behind one DAO's evidence: in order, the known number, the same hash. */
export function checkProposalLines({ evidence, proposals }: PublishedEvidence): readonly Disagreement[] {
  const { space_id: id, frame, totals, lines_sha256: linesHash, measures_sha256: measuresHash } = evidence;
  return [
    ...disagreementsAt(PATHS.proposals(id), [
      ...linesClaims(proposals),
      [proposals.length === frame.known, "does not contain as many lines as there are known proposals"],
      ...MEASURE_COLUMNS.map((column): Claim => {
        const { length } = proposals.filter((line) => line[column] !== null);
        return [length === totals[column].known, `${column} does not have as many known values as in totals`];
      }),
      [linesDigest(proposals) === linesHash, "is not the file that the evidence was made from"],
    ]),
    ...unless(
      measuresDigest(evidence) === measuresHash,
      PATHS.evidence(id),
      "measures are not those that the evidence was made from",
    ),
  ];
}
