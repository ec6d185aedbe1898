import type { FileKind } from "../../snapshots/format/documents.ts";
import type { VersionLists } from "../../snapshots/format/published-set.ts";
import { type DaoRow, rankRows } from "../documents/dao-row.ts";
import type { Standing } from "../documents/scored-dao.ts";
import { compareLists, comparePart, compareUnderived } from "./compare-documents.ts";
import { type DerivedDao, deriveDao, type ExplainedPart } from "./derive-dao.ts";
import { type Compared, countLeaves, type Difference, differencesOf } from "./differences.ts";
import { checkPast } from "./past.ts";

/** The result of recomputing some documents. */
export interface Recomputed {
  /** Number of values that were recomputed. */
  readonly numbers: number;
  readonly differences: readonly Difference[];
}

/** Compares a DAO's documents with what its own evidence gives; `standing` is its rank among scored DAOs. */
export function recomputePart(
  part: ExplainedPart,
  derived: DerivedDao | undefined,
  standing: Standing | undefined,
): Recomputed {
  if (derived === undefined) return compareAll(compareUnderived(part));
  const past = checkPast(part, derived.scored);
  const { numbers, differences } = compareAll(comparePart(part, derived.scored, standing));
  return { numbers: numbers + past.checked, differences: [...differences, ...past.differences] };
}

/** Compares the lists of a version with what the evidence of all its DAOs gives. */
export function recomputeLists(
  lists: VersionLists,
  rows: readonly DaoRow[],
  standings: ReadonlyMap<string, Standing>,
): Recomputed {
  return compareAll(compareLists(lists, rows, standings));
}

function compareAll(compared: readonly Compared[]): Recomputed {
  return {
    numbers: compared.reduce((sum, { published }) => sum + countLeaves(published), 0),
    differences: compared.flatMap(({ path, published, derived }) => differencesOf(path, published, derived)),
  };
}

/** Recomputes every score of a version from its evidence and lines only, and lists each difference. */
export function recomputeVersion({
  lists,
  parts,
}: {
  readonly lists: VersionLists;
  /** The documents of every DAO, all or only some kinds. */
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
