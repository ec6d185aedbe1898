import type { FileKind } from "../../snapshots/format/documents.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { VersionLists } from "../../snapshots/format/published-set.ts";
import {
  buildDaoDetail,
  buildDaoHistory,
  buildRiskAssessment,
  placeDetail,
} from "../documents/dao-documents.ts";
import {
  buildDaoList,
  buildRankings,
  buildUnscoredList,
  type DaoRow,
  indexMembers,
  rankRows,
} from "../documents/dao-row.ts";
import { buildDgi, buildDgiHistory } from "../documents/dgi-documents.ts";
import { buildEvidence, hasEmptyFrame } from "../documents/evidence-documents.ts";
import type { Standing } from "../documents/scored-dao.ts";
import { dailyPointOf } from "../score/daily-point.ts";
import { scoreGovernanceIndex } from "../score/ranking/governance-index.ts";
import { type DerivedDao, deriveDao, type ExplainedPart, isDayEnd } from "./derive-dao.ts";
import { countLeaves, type Difference, differencesOf } from "./differences.ts";
import { checkPast } from "./past.ts";

export interface Recomputed {
  readonly numbers: number;
  readonly differences: readonly Difference[];
}

/** A document, or a point of one, as it is published and as it is built again; `undefined` where it is missing. */
type Compared = readonly [path: string, published: unknown, rebuilt: unknown];

function compareAll(compared: readonly Compared[]): Recomputed {
  return {
    numbers: compared.reduce((sum, [, published]) => sum + countLeaves(published), 0),
    differences: compared.flatMap((one) => differencesOf(...one)),
  };
}

/**
 * Builds the score documents of one DAO again, with the code that publishes them, and compares them; `standing` is its rank
 * among scored DAOs. Of a DAO without evidence or in no list, no published score can be recomputed.
 */
export function recomputePart(
  part: ExplainedPart,
  derived: DerivedDao | undefined,
  standing: Standing | undefined,
): Recomputed {
  const { spaceId, asOf, evidence, emptyFrames, details, risks, histories } = part;
  const [published] = evidence;
  if (derived === undefined) {
    return compareAll([
      [PATHS.evidence(spaceId), published?.evidence, undefined],
      [PATHS.proposals(spaceId), emptyFrames[0]?.proposals, undefined],
      [PATHS.dao(spaceId), details[0], undefined],
      [PATHS.risk(spaceId), risks[0], undefined],
    ]);
  }
  const { scored } = derived;
  const rebuilt = buildEvidence(scored.evidence, scored.current);
  const isEmpty = hasEmptyFrame(scored.evidence);
  // Evidence names no entities, so the top entities are copied.
  const detail = standing && placeDetail(buildDaoDetail(scored), standing, details[0]?.top_entities ?? []);
  const compared: Compared[] = [
    [PATHS.evidence(spaceId), published?.evidence, isEmpty ? undefined : rebuilt.evidence],
    [PATHS.proposals(spaceId), (published ?? emptyFrames[0])?.proposals, rebuilt.proposals],
    [PATHS.dao(spaceId), details[0], detail],
    [PATHS.risk(spaceId), risks[0], standing && buildRiskAssessment(scored)],
  ];
  if (isDayEnd(asOf)) {
    const date = asOf.slice(0, 10);
    const point = dailyPointOf(scored.current);
    const last = buildDaoHistory({ ...scored, points: point === undefined ? [] : [point] })?.points[0];
    const publishedLast = histories[0]?.points.find((point) => point.date === date);
    compared.push([`${PATHS.history(spaceId)} ${date}`, publishedLast, last]);
  }
  const { numbers, differences } = compareAll(compared);
  const past = checkPast(part, scored);
  return { numbers: numbers + past.checked, differences: [...differences, ...past.differences] };
}

/** Builds a version's lists again from the evidence of all its DAOs, which names no entities, and compares them. */
export function recomputeLists(
  lists: VersionLists,
  rows: readonly DaoRow[],
  standings: ReadonlyMap<string, Standing>,
): Recomputed {
  // The 24-hour change needs the day before.
  const without = (daos: VersionLists["daos"]) => daos.map(({ delta_24h: _, ...rest }) => rest);
  const asOfMs = Date.parse(lists.asOf);
  const index = scoreGovernanceIndex(indexMembers(rows), asOfMs);
  const compared: Compared[] = [
    [PATHS.daos, without(lists.daos), without(buildDaoList(rows, standings))],
    [PATHS.rankings, lists.rankings, buildRankings(standings)],
    [PATHS.unscored, lists.unscored, buildUnscoredList(rows)],
    [PATHS.dgi, lists.dgi, buildDgi(index)],
  ];
  if (isDayEnd(lists.asOf)) {
    const date = lists.asOf.slice(0, 10);
    const last = buildDgiHistory(asOfMs, undefined, index === undefined ? [] : [index])?.values[0];
    const publishedLast = lists.dgiHistory?.values.find((point) => point.date === date);
    compared.push([`${PATHS.dgiHistory} ${date}`, publishedLast, last]);
  }
  return compareAll(compared);
}

/** Recomputes every score of a version from its evidence and lines only, and lists each difference. */
export function recomputeVersion({
  lists,
  parts,
}: {
  readonly lists: VersionLists;
  readonly parts: (kinds?: readonly FileKind[]) => Iterable<ExplainedPart>;
}) {
  // Each DAO is read twice, as only its row is kept in memory: ranks are known once all rows are.
  const rows: DaoRow[] = [];
  for (const part of parts(["evidence", "proposals"])) {
    const derived = deriveDao(part);
    if (derived !== undefined) rows.push(derived.row);
  }
  const standings = rankRows(rows);
  const differences: Difference[] = [];
  let numbers = 0;
  const add = (part: Recomputed): void => {
    numbers += part.numbers;
    differences.push(...part.differences);
  };
  for (const part of parts()) {
    add(recomputePart(part, deriveDao(part), standings.get(part.spaceId)));
  }
  add(recomputeLists(lists, rows, standings));
  return { daos: rows.length, numbers, differences };
}
