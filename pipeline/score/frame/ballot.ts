import { type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { sortedSum } from "../method/statistics.ts";
import type { Electorate } from "./electorate.ts";

/**
 * The power of one ballot: its valid votes of known power, the wallets of an entity being one voter. Columns of equal
 * length, empty where no power is known.
 */
export interface Ballot {
  /** Voters by the number of one of their wallets. */
  readonly voters: Int32Array;
  /** Shares of the ballot's valid power. */
  readonly shares: Float64Array;
  /** Index of each voter's choice; an entity's is that of its largest vote. */
  readonly choices: Uint32Array;
  /** The shares in ascending order. */
  readonly ascending: Float64Array;
  /** c: shares capped at 1 %, as parts of their sum. */
  readonly capped: Float64Array;
  /** Σ power of the valid votes. */
  readonly validPower: number;
  /** Votes whose power is known, of all that were fetched. */
  readonly knownCount: number;
  readonly fetchedCount: number;
}

/** The votes behind a ballot's power, one after another. Only measured, not kept. */
export interface BallotVotes {
  readonly ballot: Ballot;
  /** Rows of the fetched ballot. */
  readonly rows: Int32Array;
  /** Share of each vote. */
  readonly shares: Float64Array;
  /** Place of its voter in the ballot. */
  readonly places: Int32Array;
}

const { powerKnown, outsideWindow, choiceUnreadable } = VOTE_FLAGS;
const { capShare } = METHODOLOGY.participation;

/** Whether a vote was cast in its window, for a choice that can be read, and with some power where that is known. */
export function isValid({ flags, powers }: ProposalVotes, row: number): boolean {
  const flag = flags[row] as number;
  if ((flag & (outsideWindow | choiceUnreadable)) !== 0) return false;
  return (flag & powerKnown) === 0 || (powers[row] as number) > 0;
}

/** Σ power of all fetched votes; `undefined` where the power of one is unknown, or the sum is no finite number. */
export function fetchedPowerOf({ count, powers, flags }: ProposalVotes): number | undefined {
  if (count === 0 || flags.some((flag) => (flag & powerKnown) === 0)) return undefined;
  const sum = sortedSum(powers);
  return Number.isFinite(sum) ? sum : undefined;
}

/** c of each share: the largest count alike, and the smallest by what they hold. */
export function cappedShares(shares: Float64Array, ascending: Float64Array): Float64Array {
  let sum = 0;
  for (let place = 0; place < ascending.length; place += 1)
    sum += Math.min(ascending[place] as number, capShare);
  const capped = new Float64Array(shares.length);
  for (let place = 0; place < shares.length; place += 1)
    capped[place] = Math.min(shares[place] as number, capShare) / sum;
  return capped;
}

/** Numbers as parts of a whole. */
function partsOf(powers: Float64Array, whole: number): Float64Array {
  const parts = new Float64Array(powers.length);
  for (let place = 0; place < powers.length; place += 1) parts[place] = (powers[place] as number) / whole;
  return parts;
}

/** Adds the votes of each entity up to one voter; everybody else is a voter of his own. */
function mergeWallets(votes: ProposalVotes, rows: Int32Array, electorate: Electorate) {
  const wallets = electorate.walletsOf(votes);
  const { headOfWallet, entityIdOfHead } = electorate;
  const voters = new Int32Array(rows.length);
  const powers = new Float64Array(rows.length);
  const choices = new Uint32Array(rows.length);
  const places = new Int32Array(rows.length);
  const entities = new Map<number, { readonly place: number; readonly rows: number[] }>();
  let count = 0;
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] as number;
    const head = headOfWallet[wallets[row] as number] as number;
    // Hardly any DAO's voters are of an entity, and a look into an empty table for each of them adds up.
    const known = entityIdOfHead.size > 0 ? entities.get(head) : undefined;
    places[at] = known?.place ?? count;
    if (known !== undefined) {
      known.rows.push(row);
      continue;
    }
    if (entityIdOfHead.size > 0 && entityIdOfHead.has(head))
      entities.set(head, { place: count, rows: [row] });
    voters[count] = head;
    powers[count] = votes.powers[row] as number;
    choices[count] = votes.choiceIndexes[row] as number;
    count += 1;
  }
  for (const { place, rows: own } of entities.values()) {
    powers[place] = sortedSum(own.map((row) => votes.powers[row] as number));
    // Of equal votes the first choice, so that it does not hang on who came first.
    const largest = own.reduce((best, row) => {
      const more = (votes.powers[row] as number) - (votes.powers[best] as number);
      const isFirst = (votes.choiceIndexes[row] as number) < (votes.choiceIndexes[best] as number);
      return more > 0 || (more === 0 && isFirst) ? row : best;
    });
    choices[place] = votes.choiceIndexes[largest] as number;
  }
  return {
    voters: voters.subarray(0, count),
    powers: powers.subarray(0, count),
    choices: choices.subarray(0, count),
    places,
  };
}

/** Reads the power of a fetched ballot. */
export function readBallot(votes: ProposalVotes, electorate: Electorate): BallotVotes {
  const { count, flags } = votes;
  let rows = new Int32Array(count);
  let powers = new Float64Array(count);
  let valid = 0;
  let knownCount = 0;
  // Everything below runs for every vote; rows lie in the ballot's columns.
  for (let row = 0; row < count; row += 1) {
    if (((flags[row] as number) & powerKnown) === 0) continue;
    knownCount += 1;
    if (!isValid(votes, row)) continue;
    rows[valid] = row;
    powers[valid] = votes.powers[row] as number;
    valid += 1;
  }
  const sorted = powers.slice(0, valid).sort();
  let power = 0;
  for (let place = 0; place < valid; place += 1) power += sorted[place] as number;
  // Powers may each be finite and their sum not: shares of infinity would all be nothing.
  if (!Number.isFinite(power)) valid = 0;
  rows = rows.subarray(0, valid);
  powers = powers.subarray(0, valid);
  const merged = mergeWallets(votes, rows, electorate);
  const isAlone = merged.voters.length === valid;
  const own = partsOf(powers, power);
  const shares = isAlone ? own : partsOf(merged.powers, power);
  const ascending = isAlone ? partsOf(sorted.subarray(0, valid), power) : shares.slice().sort();
  const ballot = {
    voters: merged.voters,
    shares,
    choices: merged.choices,
    ascending,
    capped: cappedShares(shares, ascending),
    validPower: valid === 0 ? 0 : power,
    knownCount,
    fetchedCount: count,
  };
  return { ballot, rows, shares: own, places: merged.places };
}
