import { PipelineError } from "../base/pipeline-error.ts";

/** The most rows one ballot may have: a place and a voter number then still fit into one exact double. */
export const BALLOT_ROWS_MAX = 2 ** 21;

/** One row of a ballot that is being built. */
export interface VoteRow {
  readonly voterId: number;
  readonly timeS: number;
  readonly power: number;
  readonly choiceIndex: number;
  readonly flags: number;
  readonly line: number;
  readonly voteId: string | undefined;
}

/** Votes as columns that grow: 25 bytes a row, where an object each would take two hundred. */
export interface VoteColumns {
  count(): number;
  /** Throws `PipelineError` SOURCE_FAILED past `BALLOT_ROWS_MAX`. */
  append(row: VoteRow): void;
  read(place: number): VoteRow;
  /** Places by voter, each voter's in order of arrival. */
  placesByVoter(): Uint32Array;
}

/** Starts with no rows. */
export function createVoteColumns(): VoteColumns {
  let columns = allocate(16);
  let count = 0;
  const voteIds: (string | undefined)[] = [];

  const append = (row: VoteRow): void => {
    if (count >= BALLOT_ROWS_MAX) {
      throw new PipelineError("SOURCE_FAILED", `a ballot has more than ${BALLOT_ROWS_MAX} votes`);
    }
    if (count === columns.voterIds.length) columns = grow(columns);
    columns.voterIds[count] = row.voterId;
    columns.timesS[count] = row.timeS;
    columns.powers[count] = row.power;
    columns.choiceIndexes[count] = row.choiceIndex;
    columns.flags[count] = row.flags;
    columns.lines[count] = row.line;
    if (row.voteId !== undefined) voteIds[count] = row.voteId;
    count += 1;
  };
  const read = (place: number): VoteRow => ({
    voterId: columns.voterIds[place] ?? 0,
    timeS: columns.timesS[place] ?? 0,
    power: columns.powers[place] ?? 0,
    choiceIndex: columns.choiceIndexes[place] ?? 0,
    flags: columns.flags[place] ?? 0,
    line: columns.lines[place] ?? 0,
    voteId: voteIds[place],
  });
  const placesByVoter = (): Uint32Array => {
    // Native sorting of plain numbers, three times faster than a comparing function on 150,000 rows.
    const keys = new Float64Array(count);
    for (let place = 0; place < count; place += 1) {
      keys[place] = (columns.voterIds[place] ?? 0) * BALLOT_ROWS_MAX + place;
    }
    return Uint32Array.from(keys.sort(), (key) => key % BALLOT_ROWS_MAX);
  };
  return { count: () => count, append, read, placesByVoter };
}

interface Columns {
  readonly voterIds: Uint32Array;
  readonly timesS: Uint32Array;
  readonly powers: Float64Array;
  readonly choiceIndexes: Uint32Array;
  readonly flags: Uint8Array;
  readonly lines: Uint32Array;
}

function allocate(rows: number): Columns {
  return {
    voterIds: new Uint32Array(rows),
    timesS: new Uint32Array(rows),
    powers: new Float64Array(rows),
    choiceIndexes: new Uint32Array(rows),
    flags: new Uint8Array(rows),
    lines: new Uint32Array(rows),
  };
}

function grow(old: Columns): Columns {
  const columns = allocate(old.voterIds.length * 2);
  columns.voterIds.set(old.voterIds);
  columns.timesS.set(old.timesS);
  columns.powers.set(old.powers);
  columns.choiceIndexes.set(old.choiceIndexes);
  columns.flags.set(old.flags);
  columns.lines.set(old.lines);
  return columns;
}
