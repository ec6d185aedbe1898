import type { HeldProposal } from "../../facts/space-sink.ts";
import type { ProposalsNote } from "./governor-note.ts";
import type { EarlierProposals } from "./proposal-book.ts";
import type { GovernorReading } from "./reading.ts";
import { isStanding } from "./standing-block.ts";

/** Where to go on reading a governor, and what of it needs no reading. */
export interface EarlierReading extends Omit<EarlierProposals, "held"> {
  readonly fromBlock: number;
  readonly held: ReadonlyMap<string, HeldProposal>;
  /** Ids of proposals that the logs from `fromBlock` on have to tell of again. */
  readonly younger: readonly string[];
}

/** Goes on from no earlier reading: from the contract's first block. */
export function nothingEarlier(fromBlock: number): EarlierReading {
  return { fromBlock, indexedBlock: -1, held: new Map(), refused: new Set(), younger: [] };
}

/**
 * What may stay of the proposals that are held: all that can no longer change, where they were made in the same way
 * and the chain still has the block up to which they were read. Otherwise nothing does.
 */
export async function earlierProposals(
  { rpc, head, governor, memory, isFull }: GovernorReading,
  note: ProposalsNote | undefined,
  basis: string,
): Promise<EarlierReading> {
  const nothing = nothingEarlier(governor.firstBlock);
  if (note?.basis !== basis || isFull) return nothing;
  if (!(await isStanding(rpc, head, note.indexed))) return nothing;
  const younger = new Set(note.younger);
  const older = memory.heldProposals().filter(({ proposal }) => !younger.has(proposal.proposalId));
  const isWhole = older.every(
    ({ proposal, ballot }) => (proposal.votesCount ?? 0) === 0 || ballot?.isFinal === true,
  );
  if (!isWhole) return nothing;
  return {
    fromBlock: note.fromBlock,
    indexedBlock: note.indexed.number,
    held: new Map(older.map((one) => [one.proposal.proposalId, one])),
    refused: new Set(note.refused),
    younger: note.younger,
  };
}
