import type { DaoDetail, DaoSummary, RiskAssessment } from "../dao.ts";
import { PATHS } from "../paths.ts";
import type { VersionLists } from "../published-set.ts";
import { COMPONENT_KEYS, riskLevelOf } from "../value-sets.ts";
import {
  type Claim,
  type Disagreement,
  type DocumentPart,
  disagreementsAt,
  isAscending,
  isEqual,
  isNonIncreasing,
  type Listed,
  unless,
} from "./disagreement.ts";

/** Checks the lists of scored and unscored DAOs: order, each DAO in one of them, and a detail for each listed DAO. */
export function checkDaoLists(
  { daos, unscored, asOf }: VersionLists,
  detailed: ReadonlySet<string>,
): readonly Disagreement[] {
  const ids = daos.map((dao) => dao.space_id);
  const listed = new Set(ids);
  const unscoredIds = unscored.map((dao) => dao.space_id);
  return [
    ...disagreementsAt(PATHS.daos, [
      [listed.size === ids.length, "names a DAO twice"],
      [daos.every((dao, index) => dao.rank === index + 1), "ranks are not 1 to n, in order"],
      [isNonIncreasing(daos.map((dao) => dao.gvs)), "DAOs are not ranked by gvs"],
      [daos.every((dao) => dao.last_calculated === asOf), "last_calculated is not as_of"],
      [daos.length === detailed.size, "the listed DAOs and the DAO details are not the same number"],
    ]),
    ...ids.flatMap((id) => unless(detailed.has(id), PATHS.dao(id), "is listed without its detail")),
    ...disagreementsAt(PATHS.unscored, [
      [isAscending(unscoredIds), "is not sorted by space_id without duplicates"],
      [!unscoredIds.some((id) => listed.has(id)), "names a DAO that is listed with a score"],
      [unscored.every((dao) => dao.assessed_at === asOf), "assessed_at is not as_of"],
    ]),
  ];
}

/** Checks the ranges of ranks: of every listed DAO in the same order. */
export function checkRankings({ daos, rankings }: VersionLists): readonly Disagreement[] {
  const isRank = (rank: number) => rank <= daos.length;
  return disagreementsAt(PATHS.rankings, [
    [
      rankings.length === daos.length &&
        daos.every(
          ({ space_id: id, rank }, index) =>
            rankings[index]?.space_id === id && rankings[index].rank === rank,
        ),
      `does not have the DAOs and ranks of ${PATHS.daos}`,
    ],
    [
      // A rank may lie beside its range: it goes by the rounded gvs, the range by the ends as they are.
      rankings.every(({ best, worst }) => best <= worst && isRank(worst)),
      "a range is not one of ranks",
    ],
    [
      rankings.every(
        ({ weights }) =>
          weights.every(({ component }, index) => component === COMPONENT_KEYS[index]) &&
          weights.length === COMPONENT_KEYS.length &&
          weights.every(({ less, more }) => isRank(less) && isRank(more)),
      ),
      "does not have a rank for each change of a weight",
    ],
  ]);
}

export function checkDao({ spaceId, details, risks, listed, asOf }: DocumentPart): readonly Disagreement[] {
  return [
    ...details.flatMap((detail) =>
      listed === undefined
        ? unless(false, PATHS.dao(spaceId), "is the detail of a DAO that is not listed")
        : checkDetail(detail, listed),
    ),
    ...risks.flatMap((risk) => checkRisk(risk, listed !== undefined, asOf)),
  ];
}

export function listedById(daos: readonly DaoSummary[]): ReadonlyMap<string, Listed> {
  const totals = new Map<string, number>();
  const ranked = daos.map((summary) => {
    const rank = (totals.get(summary.category) ?? 0) + 1;
    totals.set(summary.category, rank);
    return { summary, rank };
  });
  return new Map(
    ranked.map(({ summary, rank }) => {
      const { category } = summary;
      const overall = { rank: summary.rank, total: daos.length };
      return [
        summary.space_id,
        { summary, rankings: { overall, category: { category, rank, total: totals.get(category) ?? 0 } } },
      ];
    }),
  );
}

const IN_BOTH = ["name", "category", "gvs", "gvs_confidence", "last_calculated"] as const;

function checkDetail(detail: DaoDetail, { summary, rankings }: Listed): readonly Disagreement[] {
  return disagreementsAt(PATHS.dao(detail.space_id), [
    ...IN_BOTH.map(
      (field): Claim => [detail[field] === summary[field], `${field} is not that of ${PATHS.daos}`],
    ),
    ...COMPONENT_KEYS.map((key): Claim => {
      const isSame = detail.components[key].score === summary.components[key];
      return [isSame, `components.${key} is not that of ${PATHS.daos}`];
    }),
    ...(["overall", "category"] as const).map((key): Claim => {
      const isSame = isEqual(detail.rankings[key], rankings[key]);
      return [isSame, `rankings.${key} is not its place in ${PATHS.daos}`];
    }),
  ]);
}

function checkRisk(risk: RiskAssessment, isListed: boolean, asOf: string): readonly Disagreement[] {
  return disagreementsAt(PATHS.risk(risk.space_id), [
    [isListed, "is of a DAO that is not listed"],
    [risk.risk_level === riskLevelOf(risk.risk_score), "risk_level is not that of risk_score"],
    [risk.assessed_at === asOf, "assessed_at is not as_of"],
  ]);
}
