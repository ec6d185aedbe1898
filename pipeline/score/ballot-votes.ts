import { remember } from "../base/remember.ts";
import { type Ballot, type Choice, VOTE_FLAGS } from "../facts/ballot.ts";
import { ascendingPlaces } from "./ascending-places.ts";
import { METHODOLOGY } from "./methodology.ts";

/**
 * The votes of one ballot that measures look at: valid, not dust, in ascending order of power
 * (so that every sum over them is a sorted one). All columns have the same length.
 */
export interface BallotVotes {
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
export const rowsByPower = remember((ballot: Ballot) => ascendingPlaces(ballot.powers));

/** Σ power of all rows, in ascending order of power. */
export function sumOfPowers(ballot: Ballot): number {
  const rows = rowsByPower(ballot);
  let sum = 0;
  for (let at = 0; at < rows.length; at += 1) sum += ballot.powers[rows[at] as number] as number;
  return sum;
}

// Everything below runs for every vote; rows lie in the ballot's columns.

/** What all rows together say, valid or not. */
function countRows({ count, flags }: Ballot) {
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
function validRows(ballot: Ballot) {
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
function countedRows(ballot: Ballot): { readonly rows: Int32Array; readonly power: number | undefined } {
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
  ballot: Ballot,
  denseVoterOf: (voterId: number) => number,
  voters: Int32Array = Int32Array.from(ballot.voterIds, denseVoterOf),
): BallotVotes {
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
