import { sourceFailed } from "../../facts/errors.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { reject } from "../upstream/row-error.ts";
import { readBlockTimes } from "./blocks.ts";
import { type ContractClock, readClock, timepointOf } from "./contract-calls.ts";
import {
  type BookedLogs,
  type EarlierReading,
  earlierProposals,
  type LateFate,
  nothingEarlier,
  readProposalBook,
} from "./proposal-book.ts";
import { type ProposalContext, proposalOfLogs, readProposalCounts } from "./proposal-of-logs.ts";
import { createLogTally, type GovernorReading, type LogTally, type ProposalsNote } from "./reading.ts";
import { GOVERNOR_LIMITS } from "./rpc.ts";
import type { LoggedProposal } from "./vote-tally.ts";

/** Increase this when the same logs produce other proposals or ballots; all are then rebuilt. */
const FORMAT = 2;

/**
 * Reads a governor's proposals and votes, including those of open proposals. Votes have the choices For,
 * Against and Abstain, weighted where a voter split their power. Proposals that can no longer change are read
 * once; of the others, logs are read again from the first open proposal on.
 */
export async function fetchProposals(
  reading: GovernorReading,
  governor: string,
  note: ProposalsNote | undefined,
): Promise<ProposalsNote> {
  const { rpc, head, sink, isLater, isFull } = reading;
  const { chainId, firstBlock, decimals } = reading.governor;
  const file = `eth_getLogs ${chainId} ${governor}`;
  const clock = await readClock(rpc, governor, chainId);
  const basis = JSON.stringify([FORMAT, chainId, governor, firstBlock, decimals, clock]);
  const tally = createLogTally(file, sink, isLater ? GOVERNOR_LIMITS.malformedTolerated : 0);
  const read = (from: EarlierReading) =>
    readProposalBook(reading, { governor, earlier: from, tally, basis: `${basis} ${isFull}` });

  let earlier = await earlierProposals(reading, note, basis);
  let booked = await read(earlier);
  if (booked.book.isOutdated()) {
    earlier = nothingEarlier(firstBlock);
    booked = await read(earlier);
  }
  tally.cuts(booked.cuts);
  tally.judge();
  const proposals = booked.book.proposals();
  const ids = new Set(proposals.map(({ id }) => id.toString()));
  if (!earlier.younger.every((id) => ids.has(id))) {
    throw sourceFailed("the node no longer returns a proposal that it returned before", {
      hint: "Run again, or use a node that keeps all logs.",
    });
  }
  if (clock === "unknown" && proposals.length > 0) {
    const message = "the governor uses the clock of another chain: its proposals have no start and end times";
    reject(sink, { file }, "CLOCK_UNKNOWN", message);
  }
  const taken = await putProposals(reading, booked, { governor, clock, tally });
  for (const { proposal } of earlier.held.values()) {
    keepHeld(reading, proposal, booked.book.lateFates().get(proposal.proposalId));
  }
  tally.judge();
  const open = proposals.filter((one) => taken.has(one.id.toString()) && !isSettled(one, reading, clock));
  const fromBlock = Math.min(head.number + 1, ...open.map(({ createdBlock }) => createdBlock));
  const refused = proposals.filter(({ id, createdBlock }) => {
    return createdBlock < fromBlock && !taken.has(id.toString());
  });
  return {
    basis,
    indexed: { number: head.number, hash: head.hash },
    fromBlock,
    younger: proposals
      .filter(({ id, createdBlock }) => createdBlock >= fromBlock && taken.has(id.toString()))
      .map(({ id }) => id.toString()),
    refused: [...earlier.refused, ...refused.map(({ id }) => id.toString())],
  };
}

async function putProposals(
  reading: GovernorReading,
  booked: BookedLogs,
  { governor, clock, tally }: { governor: string; clock: ContractClock; tally: LogTally },
): Promise<ReadonlySet<string>> {
  const { rpc, head, sink } = reading;
  const { decimals } = reading.governor;
  const proposals = booked.book.proposals();
  const counts = await readProposalCounts(reading, governor, clock, proposals);
  // The blocks at which votes start and end; one after the head has no time yet.
  const edges = proposals.flatMap(({ start, end }) => [Number(start), Number(end)]);
  const asked = clock === "blocknumber" ? edges.filter((block) => block <= head.number) : [];
  const timesMs = new Map([...booked.timesMs, ...(await readBlockTimes(rpc, asked))]);
  const taken = new Set<string>();
  for (const [index, logged] of proposals.entries()) {
    const context: ProposalContext = { clock, head, timesMs, decimals, counts: counts[index] };
    const proposal = tally.log(() => proposalOfLogs(logged, context));
    if (proposal === undefined) continue;
    taken.add(proposal.proposalId);
    sink.put({ kind: "proposal", proposal });
    if (logged.votes.votersCount() === 0) continue;
    const { ballot, setAside } = logged.votes.ballot(proposal, timesMs, decimals);
    sink.put({ kind: "votes", votes: ballot, isFinal: proposal.scoresState === "final" });
    const ofBallot = `votes/${proposal.proposalId}`;
    for (const { line, code, message } of setAside) reject(sink, { file: ofBallot, line }, code, message);
  }
  return taken;
}

/** Whether a proposal can no longer change, except for being cancelled or executed later. */
function isSettled({ fate, end }: LoggedProposal, { head }: GovernorReading, clock: ContractClock): boolean {
  const now = timepointOf(head, clock);
  // Without a clock, only its fate counts.
  return now === undefined ? fate !== "running" : now > end;
}

function keepHeld({ sink, memory }: GovernorReading, held: Proposal, fate: LateFate | undefined): void {
  if (fate === undefined) {
    memory.keepProposal(held.proposalId);
    return;
  }
  sink.put({ kind: "proposal", proposal: { ...held, state: fate === "canceled" ? "cancelled" : "closed" } });
  memory.keepVotes(held.proposalId);
}
