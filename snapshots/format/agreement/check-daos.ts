import type { DaoDetail, DaoSummary, RiskAssessment } from "../dao.ts";
import { PATHS } from "../paths.ts";
import { COMPONENT_KEYS, riskLevelOf } from "../value-sets.ts";
import {
  allDifferent,
  type Claim,
  type Disagreement,
  type DocumentSet,
  disagreementsAt,
  isAscending,
  isNonIncreasing,
  unless,
} from "./disagreement.ts";

/** The list of DAOs against its details, risks and the unscored. */
export function checkDaos(set: DocumentSet): readonly Disagreement[] {
  const byId = listedById(set.daos);
  const listed = new Set(byId.keys());
  const riskIds = set.risks.map((risk) => risk.space_id);
  return [
    ...checkList(set),
    ...set.details.flatMap((detail) => {
      const found = byId.get(detail.space_id);
      if (found !== undefined) return checkDetail(detail, found);
      return unless(false, PATHS.dao(detail.space_id), "details a DAO that is not listed");
    }),
    ...unless(allDifferent(riskIds), "risk", "a DAO has two risk assessments"),
    ...set.risks.flatMap((risk) => checkRisk(risk, listed, set.asOf)),
    ...checkUnscored(set, listed),
  ];
}

function checkList({ daos, asOf, details }: DocumentSet): readonly Disagreement[] {
  const ids = daos.map((dao) => dao.space_id);
  const detailIds = new Set(details.map((detail) => detail.space_id));
  const isSameNumber = details.length === detailIds.size && daos.length === detailIds.size;
  return [
    ...disagreementsAt(PATHS.daos, [
      [allDifferent(ids), "names a DAO twice"],
      [daos.every((dao, index) => dao.rank === index + 1), "ranks are not 1 to n, in order"],
      [isNonIncreasing(daos.map((dao) => dao.gvs)), "a lower gvs has the better rank"],
      [daos.every((dao) => dao.last_calculated === asOf), "last_calculated is not as_of"],
      [isSameNumber, "the listed DAOs and the DAO details are not the same number"],
    ]),
    ...ids.flatMap((id) => unless(detailIds.has(id), PATHS.dao(id), "is listed without its detail")),
  ];
}

/** What a listed DAO's detail must repeat: its summary, and its rankings. */
interface Listed {
  readonly summary: DaoSummary;
  readonly rankings: DaoDetail["rankings"];
}

function listedById(daos: readonly DaoSummary[]): ReadonlyMap<string, Listed> {
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
  const { overall, category } = detail.rankings;
  return disagreementsAt(PATHS.dao(detail.space_id), [
    ...IN_BOTH.map(
      (field): Claim => [detail[field] === summary[field], `${field} is not that of ${PATHS.daos}`],
    ),
    ...COMPONENT_KEYS.flatMap((key): Claim[] => {
      const { score } = detail.components[key];
      return [[score === summary.components[key], `components.${key} is not that of ${PATHS.daos}`]];
    }),
    [overall.rank === rankings.overall.rank, `rankings.overall.rank is not that of ${PATHS.daos}`],
    [overall.total === rankings.overall.total, "rankings.overall.total is not the number of listed DAOs"],
    [category.category === rankings.category.category, "rankings.category is of another category"],
    [
      category.rank === rankings.category.rank,
      "rankings.category.rank is not its place among the listed DAOs of its category",
    ],
    [category.total === rankings.category.total, "rankings.category.total is not their number"],
  ]);
}

function checkRisk(risk: RiskAssessment, listed: ReadonlySet<string>, asOf: string): readonly Disagreement[] {
  return disagreementsAt(PATHS.risk(risk.space_id), [
    [listed.has(risk.space_id), "assesses a DAO that is not listed"],
    [risk.risk_level === riskLevelOf(risk.risk_score), "risk_level is not that of risk_score"],
    [risk.assessed_at === asOf, "assessed_at is not as_of"],
  ]);
}

function checkUnscored(set: DocumentSet, listed: ReadonlySet<string>): readonly Disagreement[] {
  const ids = set.unscored.map((dao) => dao.space_id);
  return disagreementsAt(PATHS.unscored, [
    [isAscending(ids), "is not in the order of space_id, each once"],
    [!ids.some((id) => listed.has(id)), "names a DAO that is listed with a score"],
    [set.unscored.every((dao) => dao.assessed_at === set.asOf), "assessed_at is not as_of"],
  ]);
}
