import { PipelineError } from "../../facts/errors.ts";
import type { HeldProposal } from "../../facts/governance-source.ts";
import { RowError } from "../upstream/row-error.ts";
import { isStanding } from "./blocks.ts";
import { type GovernorEvent, governorEventOfLog } from "./governor-events.ts";
import type { NodeLog } from "./node-log.ts";
import { readGovernorLogs } from "./read-governor-logs.ts";
import type { GovernorReading, LogTally, ProposalsNote } from "./reading.ts";
import { GOVERNOR_LIMITS, parseQuantity } from "./rpc.ts";
import { createVoteTally, type LoggedProposal } from "./vote-tally.ts";

/** How a vote ended that is held already. */
export type LateFate = "canceled" | "executed";

/** Collects the events of a governor, in order. */
interface ProposalBook {
  /** Throws `RowError` for an event that belongs to no proposal. */
  apply(event: GovernorEvent, blockNumber: number): void;
  /** The proposals whose logs were read, by creation. */
  proposals(): readonly LoggedProposal[];
  /** By id, what became of held proposals since. */
  lateFates(): ReadonlyMap<string, LateFate>;
  /** Something happened to an earlier proposal that only all of its logs can tell. */
  isOutdated(): boolean;
}

/** Opens a book that goes on from what is held. */
function createProposalBook(
  { indexedBlock, held, refused }: Pick<EarlierReading, "indexedBlock" | "held" | "refused">,
  internVoter: (address: string) => number,
): ProposalBook {
  const read = new Map<bigint, LoggedProposal>();
  const fates = new Map<string, LateFate>();
  let isOutdated = false;

  const applyLate = (event: GovernorEvent, blockNumber: number): void => {
    const id = event.id.toString();
    if (event.kind === "created") throw duplicate();
    if (blockNumber <= indexedBlock) return;
    const isFate = event.kind === "canceled" || event.kind === "executed";
    if (!isFate) isOutdated = true;
    else if (held.has(id)) fates.set(id, event.kind);
  };
  return {
    apply(event, blockNumber) {
      const id = event.id.toString();
      const known = read.get(event.id);
      if (known === undefined && (held.has(id) || refused.has(id))) applyLate(event, blockNumber);
      else if (event.kind === "created") {
        if (known !== undefined) throw duplicate();
        read.set(event.id, createdProposal(event, blockNumber));
        if (read.size <= GOVERNOR_LIMITS.proposalsMax) return;
        const message = `a governor has more than ${GOVERNOR_LIMITS.proposalsMax} proposals`;
        throw new PipelineError("SOURCE_FAILED", message);
      } else if (known === undefined) {
        throw new RowError("PROPOSAL_UNKNOWN", "no earlier log creates its proposal");
      } else applyEvent(known, event, blockNumber, internVoter);
    },
    proposals: () => [...read.values()],
    lateFates: () => fates,
    isOutdated: () => isOutdated,
  };
}

function createdProposal(
  { id, proposer, start, end, description }: Extract<GovernorEvent, { kind: "created" }>,
  createdBlock: number,
): LoggedProposal {
  const votes = createVoteTally();
  return { id, proposer, start, end, description, createdBlock, fate: "running", votes };
}

function applyEvent(
  known: LoggedProposal,
  event: Exclude<GovernorEvent, { kind: "created" }>,
  blockNumber: number,
  internVoter: (address: string) => number,
): void {
  switch (event.kind) {
    case "canceled":
    case "executed":
      known.fate = event.kind;
      return;
    case "extended":
      known.end = event.end;
      return;
    case "reduced":
      known.votes.reduce(internVoter(event.voter), event.power);
      return;
    case "vote": {
      const { voter, power, support, reason } = event;
      known.votes.add({ voterId: internVoter(voter), power, support, reason, blockNumber });
    }
  }
}

function duplicate(): RowError {
  return new RowError("PROPOSAL_DUPLICATE", "an earlier log has the same id");
}

/** Where to go on reading a governor, and what of it needs no reading: nothing, at a first reading. */
export interface EarlierReading {
  readonly fromBlock: number;
  /** Events up to this block are part of what is held. */
  readonly indexedBlock: number;
  /** Proposals whose logs are not read again, by id. */
  readonly held: ReadonlyMap<string, HeldProposal>;
  /** Ids of proposals whose logs are not read again and that could not be taken. */
  readonly refused: ReadonlySet<string>;
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

/** A governor's logs as far as they were read. */
export interface BookedLogs {
  readonly book: ProposalBook;
  /** Times of the blocks that the logs stand in, by number. */
  readonly timesMs: ReadonlyMap<number, number>;
  readonly cuts: number;
}

/** Reads the logs of a governor that follow an earlier reading into a book of proposals. */
export async function readProposalBook(
  reading: GovernorReading,
  given: {
    readonly governor: string;
    readonly earlier: EarlierReading;
    readonly basis: string;
    readonly tally: LogTally;
  },
): Promise<BookedLogs> {
  const { governor, earlier, basis, tally } = given;
  const book = createProposalBook(earlier, reading.sink.internVoter);
  const timesMs = new Map<number, number>();
  const { cuts } = await readGovernorLogs(reading, {
    governor,
    fromBlock: earlier.fromBlock,
    basis,
    votersOf: (logs) => votersOf(logs, governor),
    take(logs) {
      for (const { log, blockNumber } of logs) {
        tally.log(() => {
          const event = governorEventOfLog(log, governor);
          if (log.blockTimestamp != null) {
            timesMs.set(blockNumber, parseQuantity(log.blockTimestamp, "block time") * 1000);
          }
          if (event !== undefined) book.apply(event, blockNumber);
        });
      }
    },
  });
  return { book, timesMs, cuts };
}

function votersOf(logs: readonly NodeLog[], governor: string): string[] {
  const voters = logs.flatMap(({ log }) => {
    const event = readableEvent(log, governor);
    return event?.kind === "vote" ? [event.voter] : [];
  });
  return [...new Set(voters)];
}

function readableEvent(log: NodeLog["log"], governor: string): GovernorEvent | undefined {
  try {
    return governorEventOfLog(log, governor);
  } catch (error) {
    // Whoever takes the log reports it.
    if (error instanceof RowError) return undefined;
    throw error;
  }
}
