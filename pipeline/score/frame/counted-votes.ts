import { type Choice, type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { remember } from "../method/statistics.ts";

/** Rows up to which inserting is faster than merging. */
const RUN = 12;

/**
 * The places of keys in ascending order of key, equal ones in their order: what sorting places with a comparing function
 * gives, at a tenth of its cost. Keys are numbers, none of them NaN.
 */
export function ascendingPlaces(keys: Float64Array): Int32Array {
  const count = keys.length;
  let places = new Int32Array(count);
  let sorted = keys.slice();
  for (let place = 0; place < count; place += 1) places[place] = place;
  for (let from = 0; from < count; from += RUN) insertInto(sorted, places, from, Math.min(from + RUN, count));
  if (count <= RUN) return places;
  let otherPlaces = new Int32Array(count);
  let others = new Float64Array(count);
  for (let width = RUN; width < count; width *= 2) {
    for (let from = 0; from < count; from += 2 * width)
      merge(
        { sorted, places, others, otherPlaces },
        from,
        Math.min(from + width, count),
        Math.min(from + 2 * width, count),
      );
    [sorted, others] = [others, sorted];
    [places, otherPlaces] = [otherPlaces, places];
  }
  return places;
}

// Both run for every vote; every index lies between bounds that lie in the columns.

function insertInto(keys: Float64Array, places: Int32Array, from: number, to: number): void {
  for (let next = from + 1; next < to; next += 1) {
    const key = keys[next] as number;
    const place = places[next] as number;
    let at = next - 1;
    for (; at >= from && (keys[at] as number) > key; at -= 1) {
      keys[at + 1] = keys[at] as number;
      places[at + 1] = places[at] as number;
    }
    keys[at + 1] = key;
    places[at + 1] = place;
  }
}

interface Columns {
  readonly sorted: Float64Array;
  readonly places: Int32Array;
  readonly others: Float64Array;
  readonly otherPlaces: Int32Array;
}

function merge(columns: Columns, from: number, middle: number, to: number): void {
  const { sorted, places, others, otherPlaces } = columns;
  let left = from;
  let right = middle;
  for (let at = from; at < to; at += 1) {
    const isLeft = right >= to || (left < middle && (sorted[left] as number) <= (sorted[right] as number));
    const next = isLeft ? left : right;
    others[at] = sorted[next] as number;
    otherPlaces[at] = places[next] as number;
    if (isLeft) left += 1;
    else right += 1;
  }
}

/**
 * The votes of one ballot that measures look at: valid, not dust, in ascending order of power
 * (so that every sum over them is a sorted one). All columns have the same length.
 */
export interface CountedVotes {
  readonly proposalId: string;
  /** All votes of the ballot, invalid and dust included: what completeness counts. */
  readonly fetchedCount: number;
  readonly readableCount: number;
  /** Those of them that count: valid, the last of each voter, no dust. */
  readonly countedCount: number;
  readonly finalCount: number;
  /** Σ power of all fetched votes; `undefined` where the power of one is unknown, or the sum is no finite number. */
  readonly fetchedPower: number | undefined;

  /** Voters as numbers of this DAO, dense from 0. */
  readonly voters: Int32Array;
  /** Share of the ballot's valid power (0–1); `undefined` where power is unknown. */
  readonly shares: Float64Array | undefined;
  /** Seconds; 0 where `isTimed` is 0. */
  readonly timesS: Uint32Array;
  readonly isTimed: Uint8Array;
  readonly choiceIndexes: Uint32Array;
  readonly choices: readonly Choice[];
  readonly timedCount: number;
  /** Votes with a reason; `undefined` where the source does not tell for all of them. */
  readonly reasonsCount: number | undefined;
}

const { powerKnown, timeKnown, final, outsideWindow, choiceUnreadable, reasonGiven, reasonKnown } =
  VOTE_FLAGS;

/** Rows of a ballot in ascending order of power, equal ones by voter: sorted once for all that add powers up. */
const rowsByPower = remember((ballot: ProposalVotes) => ascendingPlaces(ballot.powers));

/** Σ power of all rows, in ascending order of power. */
export function sumOfPowers(ballot: ProposalVotes): number {
  const rows = rowsByPower(ballot);
  let sum = 0;
  for (let at = 0; at < rows.length; at += 1) sum += ballot.powers[rows[at] as number] as number;
  return sum;
}

// Everything below runs for every vote; rows lie in the ballot's columns.

/** What all rows together say, valid or not. */
function countRows({ count, flags }: ProposalVotes) {
  let readable = 0;
  let finals = 0;
  let isPowerKnown = true;
  for (let row = 0; row < count; row += 1) {
    const flag = flags[row] as number;
    if ((flag & choiceUnreadable) === 0) readable += 1;
    if ((flag & final) !== 0) finals += 1;
    if ((flag & powerKnown) === 0) isPowerKnown = false;
  }
  return { readable, finals, isPowerKnown };
}

/** Rows of valid votes by power. A valid vote lies in its window, has a readable choice and, where its power is known, some. */
function validRows(ballot: ProposalVotes) {
  const byPower = rowsByPower(ballot);
  const rows = new Int32Array(byPower.length);
  let count = 0;
  let power = 0;
  let isPowerKnown = true;
  for (let at = 0; at < byPower.length; at += 1) {
    const row = byPower[at] as number;
    const flag = ballot.flags[row] as number;
    const own = ballot.powers[row] as number;
    if ((flag & (outsideWindow | choiceUnreadable)) !== 0) continue;
    if ((flag & powerKnown) === 0) isPowerKnown = false;
    else if (own <= 0) continue;
    rows[count] = row;
    count += 1;
    power += own;
  }
  // Powers may each be finite and their sum not: shares of infinity would all be nothing.
  return {
    rows: rows.subarray(0, count),
    power: isPowerKnown && power > 0 && Number.isFinite(power) ? power : undefined,
  };
}

/** The same without dust, which comes first. */
function countedRows(ballot: ProposalVotes): {
  readonly rows: Int32Array;
  readonly power: number | undefined;
} {
  const { rows, power } = validRows(ballot);
  if (power === undefined) return { rows, power };
  let dust = 0;
  while (
    dust < rows.length &&
    (ballot.powers[rows[dust] as number] as number) / power < METHODOLOGY.votes.dustShare
  )
    dust += 1;
  return { rows: rows.subarray(dust), power };
}

/** Picks the votes of a ballot that count. `denseVoterOf` gives a DAO's own number of an interned voter, `voters` those of all rows. */
export function countedVotes(
  ballot: ProposalVotes,
  denseVoterOf: (voterId: number) => number,
  voters: Int32Array = Int32Array.from(ballot.voterIds, denseVoterOf),
): CountedVotes {
  const all = countRows(ballot);
  const { rows, power } = countedRows(ballot);
  const fetchedPower = all.isPowerKnown ? sumOfPowers(ballot) : Number.NaN;
  const columns = {
    voters: new Int32Array(rows.length),
    timesS: new Uint32Array(rows.length),
    isTimed: new Uint8Array(rows.length),
    choiceIndexes: new Uint32Array(rows.length),
  };
  const shares = power === undefined ? undefined : new Float64Array(rows.length);
  let timedCount = 0;
  let reasonsKnown = 0;
  let reasonsCount = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number;
    const flag = ballot.flags[row] as number;
    columns.voters[at] = voters[row] as number;
    columns.timesS[at] = ballot.timesS[row] as number;
    columns.choiceIndexes[at] = ballot.choiceIndexes[row] as number;
    if (shares !== undefined && power !== undefined) shares[at] = (ballot.powers[row] as number) / power;
    if ((flag & timeKnown) !== 0) {
      columns.isTimed[at] = 1;
      timedCount += 1;
    }
    if ((flag & reasonKnown) !== 0) reasonsKnown += 1;
    if ((flag & reasonGiven) !== 0) reasonsCount += 1;
  }
  return {
    proposalId: ballot.proposalId,
    fetchedCount: ballot.count,
    readableCount: all.readable,
    countedCount: rows.length,
    finalCount: all.finals,
    fetchedPower: ballot.count > 0 && Number.isFinite(fetchedPower) ? fetchedPower : undefined,
    ...columns,
    shares,
    choices: ballot.choices,
    timedCount,
    reasonsCount: rows.length > 0 && reasonsKnown === rows.length ? reasonsCount : undefined,
  };
}
