import { ADDRESS_WORDS, addressText } from "./voters.ts";

/** 32-bit words in an id of 0x and 64 hex digits. */
const ID_WORDS = ADDRESS_WORDS;

/** The columns as they are now: longer than the row count, and outdated after the next `append`. */
type VoteRows = Readonly<ReturnType<typeof allocate>>;

/** The votes of many ballots as growing columns: 29 bytes a row plus 32 for an id, instead of 300 for an object. */
export type VoteColumns = ReturnType<typeof createVoteColumns>;

const INITIAL_ROWS = 64;
/** Columns with more rows than this, which few DAOs have, are not reused. */
const REUSED_ROWS_MAX = 2 ** 17;

/**
 * Memory of the last released columns: growing new ones for each of a thousand DAOs keeps the garbage collector busy.
 * `idWords` are all zero for a row without an id, or with an id kept as text.
 */
const spare: { readonly rows: VoteRows; readonly idWords: Int32Array }[] = [];

export function createVoteColumns() {
  let { rows, idWords } = spare.pop() ?? { rows: allocate(INITIAL_ROWS), idWords: new Int32Array(0) };
  let count = 0;
  const idTexts = new Map<number, string>();

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
    /** Sets the id of the last row: 0x and 64 lower-case hex digits, as 32-bit words. */
    setLastId(words: Int32Array) {
      const from = (count - 1) * ID_WORDS;
      if (from >= idWords.length) {
        const longer = new Int32Array(rows.voters.length * ID_WORDS);
        longer.set(idWords);
        idWords = longer;
      }
      let seen = 0;
      for (let word = 0; word < ID_WORDS; word += 1) {
        idWords[from + word] = words[word] as number;
        seen |= words[word] as number;
      }
      if (seen === 0) idTexts.set(count - 1, `0x${"0".repeat(64)}`);
    },
    /** Sets the id of the last row, in any other form. */
    setLastIdText: (id: string) => void idTexts.set(count - 1, id),
    rows: () => rows,
    idOf(row: number): string {
      const text = idTexts.get(row);
      if (text !== undefined) return text;
      const words = idWords.subarray(row * ID_WORDS, (row + 1) * ID_WORDS);
      return words.every((word) => word === 0) ? "" : addressText(words, 0, true);
    },
    /** Ends the use of these columns, so that later ones can reuse their memory. */
    release() {
      if (spare.length > 0 || rows.voters.length > REUSED_ROWS_MAX) return;
      idWords.fill(0, 0, count * ID_WORDS);
      spare.push({ rows, idWords });
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
