import { roundTo, SCORE_DECIMALS } from "../../snapshots/format/numbers.ts";
import type { WholeVersion } from "../../snapshots/store/read-version.ts";
import type { DaoChange, ReportChanges } from "../exports/report/report-data.ts";
import { type DaoDiff, diffVersions } from "./diff.ts";
import type { Moved } from "./diff-scores.ts";
import { COMPONENT_WORDS } from "./explain-words.ts";

/** The component that did most to the score. */
function mostlyBy({ components }: DaoDiff): string | undefined {
  const [strongest] = components
    .filter(({ gvsPoints }) => gvsPoints !== undefined && Math.abs(gvsPoints) >= 0.005)
    .toSorted((a, b) => Math.abs(b.gvsPoints ?? 0) - Math.abs(a.gvsPoints ?? 0));
  return strongest && COMPONENT_WORDS[strongest.key].name;
}

const rounded = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : roundTo(value, SCORE_DECIMALS);

const hasMoved = ({ before, after }: Moved): boolean => rounded(before) !== rounded(after);

/** Whether the pages would show that it moved: by its score or its place, and in a full report by its risk. */
function isShown({ fate, gvs, rank, risk }: DaoDiff, isFull: boolean): boolean {
  return fate !== "moved" || hasMoved(gvs) || hasMoved(rank) || (isFull && hasMoved(risk));
}

function changeOf(dao: DaoDiff, names: ReadonlyMap<string, string>, isFull: boolean): DaoChange {
  return {
    spaceId: dao.spaceId,
    name: names.get(dao.spaceId) ?? dao.spaceId,
    fate: dao.fate,
    gvsBefore: rounded(dao.gvs.before),
    gvsAfter: rounded(dao.gvs.after),
    rankBefore: dao.rank.before,
    rankAfter: dao.rank.after,
    riskBefore: isFull ? dao.risk.before : undefined,
    riskAfter: isFull ? dao.risk.after : undefined,
    mostly: mostlyBy(dao),
  };
}

/** How much is told: risk only in a full report, and a score that moved by less than `minDelta` not at all. */
export interface ChangesWish {
  readonly isFull: boolean;
  readonly minDelta: number;
}

/** What moved from one version to another, as pages and feeds tell it. */
export function diffChanges(
  before: WholeVersion,
  after: WholeVersion,
  { isFull, minDelta }: ChangesWish,
): ReportChanges {
  const diff = diffVersions(before, after, minDelta);
  const names = new Map(
    [before, after].flatMap(({ set }) =>
      [...set.daos, ...set.unscored].map((dao) => [dao.space_id, dao.name] as const),
    ),
  );
  const shown = diff.daos.filter((dao) => isShown(dao, isFull));
  return {
    fromVersion: diff.from.version,
    fromAsOf: diff.from.asOf,
    constants: diff.constants.map(({ name }) => name),
    daos: shown.map((dao) => changeOf(dao, names, isFull)),
    unchanged: diff.unchanged + diff.hidden + diff.daos.length - shown.length,
  };
}
