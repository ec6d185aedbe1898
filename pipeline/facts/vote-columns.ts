/** The columns as they are now: longer than the row count, and outdated after the next `append`. */
type VoteRows = Readonly<ReturnType<typeof allocate>>;

/** The votes of many ballots as growing columns: 29 bytes a row, instead of 300 for an object. */
export type VoteColumns = ReturnType<typeof createVoteColumns>;

const INITIAL_ROWS = 64;
/** Columns with more rows than this, which few DAOs have, are not reused. */
const REUSED_ROWS_MAX = 2 ** 17;

/** Memory of the last released columns: growing new ones for each of a thousand DAOs keeps the garbage collector busy. */
const spare: VoteRows[] = [];

export function createVoteColumns() {
  let rows = spare.pop() ?? allocate(INITIAL_ROWS);
  let count = 0;

  return {
    count: () => count,
    /** Appends a row, given as numbers: an object for each of ten million votes would cost more than all else here. */
    append(
      ballot: number,
      voter: number,
      timeS: number,
      power: number,
      choice: number,
      flags: number,
      line: number,
    ) {
      if (count === rows.voters.length) rows = grow(rows);
      rows.ballots[count] = ballot;
      rows.voters[count] = voter;
      rows.timesS[count] = timeS;
      rows.powers[count] = power;
      rows.choices[count] = choice;
      rows.flags[count] = flags;
      rows.lines[count] = line;
      count += 1;
    },
    rows: () => rows,
    /** Ends the use of these columns, so that later ones can reuse their memory. */
    release() {
      if (spare.length === 0 && rows.voters.length <= REUSED_ROWS_MAX) spare.push(rows);
    },
  };
}

function allocate(count: number) {
  return {
    ballots: new Uint32Array(count),
    voters: new Uint32Array(count),
    timesS: new Uint32Array(count),
    powers: new Float64Array(count),
    choices: new Uint32Array(count),
    flags: new Uint8Array(count),
    lines: new Uint32Array(count),
  };
}

function grow(old: VoteRows): VoteRows {
  const rows = allocate(old.voters.length * 2);
  for (const name of Object.keys(old) as (keyof VoteRows)[]) rows[name].set(old[name]);
  return rows;
}
