import type { VotingType } from "../../facts/proposal.ts";
import { type ProposalVotes, VOTE_FLAGS } from "../../facts/proposal-votes.ts";
import { type Agreement, agreementOf } from "../alike/agreement.ts";
import { METHODOLOGY } from "../method/methodology.ts";
import { sortedSum } from "../method/statistics.ts";
import { type ChoiceShares, sharesOfChoices } from "./allotment.ts";

/**
 * The power of one ballot: its valid votes of known power, with the wallets of an entity merged into one voter. Columns
 * of equal length, empty if no power is known.
 */
export interface Ballot {
  /** Voters, each identified by the number of one of its wallets. */
  readonly voters: Int32Array;
  readonly shares: Float64Array;
  /** Index of each voter's choice; an entity has the choice of its largest vote. */
  readonly choices: Uint32Array;
  /** `undefined` if two choices agree only if they are the same. */
  readonly agreement: Agreement | undefined;
  readonly ascending: Float64Array;
  /** c: shares capped at 1 %, divided by their sum. */
  readonly capped: Float64Array;
  /** Σ power of the valid votes. */
  readonly validPower: number;
  /** Fetched votes whose power is known. */
  readonly knownCount: number;
  readonly fetchedCount: number;
}

/** The single votes behind a ballot's power; needed only while it is measured. */
export interface BallotVotes {
  readonly ballot: Ballot;
  /** Rows of the fetched ballot. */
  readonly rows: Int32Array;
  readonly shares: Float64Array;
  /** Index of its voter in the ballot. */
  readonly places: Int32Array;
  readonly chosen: ChoiceShares;
}

const { powerKnown, outsideWindow, choiceUnreadable } = VOTE_FLAGS;
const { capShare } = METHODOLOGY.participation;

/** Whether a vote was cast within its window, for a readable choice, and not with a known power of 0. */
export function isValid({ flags, powers }: ProposalVotes, row: number): boolean {
  const flag = flags[row] as number;
  if ((flag & (outsideWindow | choiceUnreadable)) !== 0) return false;
  return (flag & powerKnown) === 0 || (powers[row] as number) > 0;
}

/** Σ power of all fetched votes; `undefined` if one is unknown or the sum is not finite. */
export function fetchedPowerOf({ count, powers, flags }: ProposalVotes): number | undefined {
  if (count === 0 || flags.some((flag) => (flag & powerKnown) === 0)) return undefined;
  const sum = sortedSum(powers);
  return Number.isFinite(sum) ? sum : undefined;
}

/** Computes c of each share. */
export function cappedShares(shares: Float64Array, ascending: Float64Array): Float64Array {
  let sum = 0;
  for (let index = 0; index < ascending.length; index += 1)
    sum += Math.min(ascending[index] as number, capShare);
  const capped = new Float64Array(shares.length);
  for (let index = 0; index < shares.length; index += 1)
    capped[index] = Math.min(shares[index] as number, capShare) / sum;
  return capped;
}

function partsOf(powers: Float64Array, whole: number): Float64Array {
  const parts = new Float64Array(powers.length);
  for (let index = 0; index < powers.length; index += 1) parts[index] = (powers[index] as number) / whole;
  return parts;
}

/** Merges the votes of each entity into one voter; every other wallet is its own voter. */
function mergeWallets(votes: ProposalVotes, rows: Int32Array, electorate: Electorate) {
  const wallets = electorate.walletsOf(votes);
  const { voterOfWallet, entityOfVoter } = electorate;
  const voters = new Int32Array(rows.length);
  const powers = new Float64Array(rows.length);
  const choices = new Uint32Array(rows.length);
  const places = new Int32Array(rows.length);
  const entities = new Map<number, { readonly index: number; readonly rows: number[] }>();
  let count = 0;
  for (let index = 0; index < rows.length; index += 1) {
    const row = rows[index] as number;
    const voter = voterOfWallet[wallets[row] as number] as number;
    // Few DAOs have voters of entities; for the others, this saves a lookup per vote.
    const known = entityOfVoter.size > 0 ? entities.get(voter) : undefined;
    places[index] = known?.index ?? count;
    if (known !== undefined) {
      known.rows.push(row);
      continue;
    }
    if (entityOfVoter.size > 0 && entityOfVoter.has(voter))
      entities.set(voter, { index: count, rows: [row] });
    voters[count] = voter;
    powers[count] = votes.powers[row] as number;
    choices[count] = votes.choiceIndexes[row] as number;
    count += 1;
  }
  for (const { index, rows: entityRows } of entities.values()) {
    powers[index] = sortedSum(entityRows.map((row) => votes.powers[row] as number));
    // In a tie the lower choice, so that the result does not depend on the order of the votes.
    const largest = entityRows.reduce((best, row) => {
      const more = (votes.powers[row] as number) - (votes.powers[best] as number);
      const isFirst = (votes.choiceIndexes[row] as number) < (votes.choiceIndexes[best] as number);
      return more > 0 || (more === 0 && isFirst) ? row : best;
    });
    choices[index] = votes.choiceIndexes[largest] as number;
  }
  return {
    voters: voters.subarray(0, count),
    powers: powers.subarray(0, count),
    choices: choices.subarray(0, count),
    places,
  };
}

/** Reads the power of a fetched ballot. Without a voting type, its lists may be approvals or orders. */
export function readBallot(
  votes: ProposalVotes,
  electorate: Electorate,
  votingType?: VotingType,
): BallotVotes {
  const { count, flags } = votes;
  let rows = new Int32Array(count);
  let powers = new Float64Array(count);
  let valid = 0;
  let knownCount = 0;
  // Everything below runs for every vote; all indexes exist.
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
  for (let index = 0; index < valid; index += 1) power += sorted[index] as number;
  // Finite powers may have an infinite sum, of which every share would be 0.
  if (!Number.isFinite(power)) valid = 0;
  rows = rows.subarray(0, valid);
  powers = powers.subarray(0, valid);
  const merged = mergeWallets(votes, rows, electorate);
  const isAlone = merged.voters.length === valid;
  const parts = partsOf(powers, power);
  const shares = isAlone ? parts : partsOf(merged.powers, power);
  const ascending = isAlone ? partsOf(sorted.subarray(0, valid), power) : shares.slice().sort();
  const chosen = sharesOfChoices(votes, rows, parts);
  const ballot = {
    voters: merged.voters,
    shares,
    choices: merged.choices,
    agreement: agreementOf(votes.choices, votingType, chosen),
    ascending,
    capped: cappedShares(shares, ascending),
    validPower: valid === 0 ? 0 : power,
    knownCount,
    fetchedCount: count,
  };
  return { ballot, rows, shares: parts, places: merged.places, chosen };
}

/** The wallets of a DAO's voters, numbered from 0, and which of them belong to the same entity. */
export interface Electorate {
  /** The wallet number of each row of a ballot. */
  readonly walletsOf: (votes: Pick<ProposalVotes, "proposalId">) => Int32Array;
  /** By wallet: its voter, which is the first wallet of its entity, or the wallet itself. */
  readonly voterOfWallet: Int32Array;
  readonly entityOfVoter: ReadonlyMap<number, string>;
}

/** Numbers all voters of the ballots and merges the wallets of each entity. */
export function createElectorate(
  ballots: Iterable<ProposalVotes>,
  entityIdOfVoter: ReadonlyMap<number, string>,
): Electorate {
  /** By voter number, in the order of its first vote. */
  const walletOf = new Map<number, number>();
  const walletsByProposal = new Map<string, Int32Array>();
  for (const { proposalId, count, voterIds } of ballots) {
    const wallets = new Int32Array(count);
    for (let row = 0; row < count; row += 1) {
      const voterId = voterIds[row] as number;
      const known = walletOf.get(voterId);
      if (known === undefined) walletOf.set(voterId, walletOf.size);
      wallets[row] = known ?? walletOf.size - 1;
    }
    walletsByProposal.set(proposalId, wallets);
  }
  const voterOfWallet = Int32Array.from(walletOf.values());
  const voterOfEntity = new Map<string, number>();
  // Few DAOs have voters of entities; for the others, this saves a lookup per voter.
  for (const [voterId, wallet] of entityIdOfVoter.size === 0 ? [] : walletOf) {
    const entityId = entityIdOfVoter.get(voterId);
    if (entityId === undefined) continue;
    const voter = voterOfEntity.get(entityId) ?? wallet;
    voterOfEntity.set(entityId, voter);
    voterOfWallet[wallet] = voter;
  }
  return {
    walletsOf: ({ proposalId }) => walletsByProposal.get(proposalId) ?? new Int32Array(),
    voterOfWallet,
    entityOfVoter: new Map([...voterOfEntity].map(([entityId, voter]) => [voter, entityId])),
  };
}
