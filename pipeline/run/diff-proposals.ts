import {
  MEASURE_COLUMNS,
  type MeasureColumn,
  type ProposalLine,
} from "../../snapshots/format/proposal-line.ts";

/** A proposal that came into the frame or went out of it; `other` is where it stands on the side where it is no member. */
export interface FrameMove {
  readonly id: string;
  /** A reason, or `UNKNOWN` where the other version does not know the proposal. */
  readonly other: string;
}

/** A proposal in both frames of which something else is measured. */
export interface Remeasured {
  readonly id: string;
  readonly columns: readonly MeasureColumn[];
}

/** What two frames have not in common. */
export interface FrameChanges {
  readonly entered: readonly FrameMove[];
  readonly left: readonly FrameMove[];
  readonly remeasured: readonly Remeasured[];
}

const isMember = (line: ProposalLine | undefined): boolean => line?.place === "MEMBER";

function movesInto(
  lines: readonly ProposalLine[],
  others: ReadonlyMap<string, ProposalLine>,
): readonly FrameMove[] {
  return lines
    .filter((line) => isMember(line) && !isMember(others.get(line.id)))
    .map(({ id }) => ({ id, other: others.get(id)?.place ?? "UNKNOWN" }));
}

/** Which proposals entered, left, or are measured otherwise; the latest first. */
export function frameChanges(before: readonly ProposalLine[], after: readonly ProposalLine[]): FrameChanges {
  const beforeById = new Map(before.map((line) => [line.id, line]));
  const afterById = new Map(after.map((line) => [line.id, line]));
  const remeasured = after.flatMap((line): Remeasured[] => {
    const old = beforeById.get(line.id);
    if (old === undefined || !isMember(line) || !isMember(old)) return [];
    const columns = MEASURE_COLUMNS.filter((column) => line[column] !== old[column]);
    return columns.length === 0 ? [] : [{ id: line.id, columns }];
  });
  return {
    entered: movesInto(after, beforeById).toReversed(),
    left: movesInto(before, afterById).toReversed(),
    remeasured: remeasured.toReversed(),
  };
}
