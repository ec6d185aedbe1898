import type { DaoDetail, DaoSummary, RiskAssessment } from "../dao.ts";
import { PATHS } from "../paths.ts";
import { COMPONENT_KEYS, labelOf, riskLevelOf } from "../value-sets.ts";
import {
  allDifferent,
  type Disagreement,
  type DocumentSet,
  isAscending,
  isNonIncreasing,
  unless,
} from "./disagreement.ts";

const IN_BOTH = ["name", "category", "gvs", "gvs_confidence", "last_calculated"] as const;

function checkList(set: DocumentSet): readonly Disagreement[] {
  const { daos, asOf, details } = set;
  const ids = daos.map((dao) => dao.space_id);
  const detailIds = new Set(details.map((detail) => detail.space_id));
  return [
    ...unless(allDifferent(ids), PATHS.daos, "names a DAO twice"),
    ...unless(
      daos.every((dao, index) => dao.rank === index + 1),
      PATHS.daos,
      "ranks are not 1 to n, in order",
    ),
    ...unless(isNonIncreasing(daos.map((dao) => dao.gvs)), PATHS.daos, "a lower gvs has the better rank"),
    ...unless(
      daos.every((dao) => dao.last_calculated === asOf),
      PATHS.daos,
      "last_calculated is not as_of",
    ),
    ...unless(
      details.length === detailIds.size && daos.length === detailIds.size,
      PATHS.daos,
      "the listed DAOs and the DAO details are not the same number",
    ),
    ...ids.flatMap((id) => unless(detailIds.has(id), PATHS.dao(id), "is listed without its detail")),
  ];
}

/** What a listed DAO's detail must repeat: its summary, and its place among those of its category. */
interface Listed {
  readonly summary: DaoSummary;
  readonly placeInCategory: number;
  readonly categoryTotal: number;
  readonly total: number;
}

function listedById(daos: readonly DaoSummary[]): ReadonlyMap<string, Listed> {
  const totals = new Map<string, number>();
  const places = daos.map((summary) => {
    const placeInCategory = (totals.get(summary.category) ?? 0) + 1;
    totals.set(summary.category, placeInCategory);
    return { summary, placeInCategory };
  });
  return new Map(
    places.map(({ summary, placeInCategory }) => {
      const categoryTotal = totals.get(summary.category) ?? 0;
      return [summary.space_id, { summary, placeInCategory, categoryTotal, total: daos.length }];
    }),
  );
}

function checkDetail(detail: DaoDetail, listed: Listed): Disagreement[] {
  const path = PATHS.dao(detail.space_id);
  const { summary } = listed;
  const { overall, category } = detail.rankings;
  return [
    ...IN_BOTH.flatMap((field) =>
      unless(detail[field] === summary[field], path, `${field} is not that of ${PATHS.daos}`),
    ),
    ...COMPONENT_KEYS.flatMap((key) => [
      ...unless(
        detail.components[key].score === summary.components[key],
        path,
        `components.${key} is not that of ${PATHS.daos}`,
      ),
      ...unless(
        detail.components[key].label === labelOf(detail.components[key].score),
        path,
        `the label of components.${key} is not that of its score`,
      ),
    ]),
    ...unless(overall.rank === summary.rank, path, `rankings.overall.rank is not that of ${PATHS.daos}`),
    ...unless(
      overall.total === listed.total,
      path,
      "rankings.overall.total is not the number of listed DAOs",
    ),
    ...unless(category.category === summary.category, path, "rankings.category is of another category"),
    ...unless(
      category.rank === listed.placeInCategory,
      path,
      "rankings.category.rank is not its place among the listed DAOs of its category",
    ),
    ...unless(category.total === listed.categoryTotal, path, "rankings.category.total is not their number"),
  ];
}

function checkRisk(risk: RiskAssessment, listed: ReadonlySet<string>, asOf: string): Disagreement[] {
  const path = PATHS.risk(risk.space_id);
  return [
    ...unless(listed.has(risk.space_id), path, "assesses a DAO that is not listed"),
    ...unless(risk.risk_level === riskLevelOf(risk.risk_score), path, "risk_level is not that of risk_score"),
    ...unless(risk.assessed_at === asOf, path, "assessed_at is not as_of"),
  ];
}

function checkUnscored(set: DocumentSet, listed: ReadonlySet<string>): readonly Disagreement[] {
  const ids = set.unscored.map((dao) => dao.space_id);
  return [
    ...unless(isAscending(ids), PATHS.unscored, "is not in the order of space_id, each once"),
    ...unless(!ids.some((id) => listed.has(id)), PATHS.unscored, "names a DAO that is listed with a score"),
    ...unless(
      set.unscored.every((dao) => dao.assessed_at === set.asOf),
      PATHS.unscored,
      "assessed_at is not as_of",
    ),
  ];
}

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
