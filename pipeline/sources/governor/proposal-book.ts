import { PipelineError } from "../../base/pipeline-error.ts";
import { RowError } from "../upstream/row-error.ts";
import type { GovernorEvent } from "./governor-event-of-log.ts";
import { GOVERNOR_LIMITS } from "./limits.ts";
import type { LoggedProposal } from "./logged-proposal.ts";
import { createVoteTally } from "./vote-tally.ts";

/** How a vote ended that is held already. */
export type LateFate = "canceled" | "executed";

/** What is known of a governor before its logs are read: nothing, at a first reading. */
export interface EarlierProposals {
  /** Events up to this block are part of what is held. */
  readonly indexedBlock: number;
  /** Ids of the proposals that are held, and whose logs are not read again. */
  readonly held: ReadonlySet<string>;
  /** Ids of proposals whose logs are not read again and that could not be taken. */
  readonly refused: ReadonlySet<string>;
}

/** Collects the events of a governor, in order. */
export interface ProposalBook {
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
export function createProposalBook(
  { indexedBlock, held, refused }: EarlierProposals,
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
