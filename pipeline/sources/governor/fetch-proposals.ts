import { PipelineError } from "../../base/pipeline-error.ts";
import { RowError } from "../upstream/row-error.ts";
import { GOVERNOR_TOPICS, type GovernorEvent, governorEventOfLog } from "./governor-event-of-log.ts";
import { GOVERNOR_LIMITS } from "./limits.ts";
import { createLogTally } from "./log-tally.ts";
import type { LoggedProposal } from "./logged-proposal.ts";
import { proposalOfLogs } from "./proposal-of-logs.ts";
import { readClock } from "./read-clock.ts";
import { readLogs } from "./read-logs.ts";
import { readProposalCounts } from "./read-proposal-counts.ts";
import type { GovernorReading } from "./reading.ts";
import { createVoteTally } from "./vote-tally.ts";

/**
 * Takes the proposals of a governor contract with their votes: basic votes of the choices For, Against, Abstain, or
 * weighted ones of the same choices where a voter split their power. Votes of proposals still open are taken too.
 */
export async function fetchProposals(reading: GovernorReading, governor: string): Promise<void> {
  const { rpc, governor: registered, head, times, sink } = reading;
  const { chainId, firstBlock } = registered;
  const file = `eth_getLogs ${chainId} ${governor}`;
  const proposals = new Map<bigint, LoggedProposal>();
  const tally = createLogTally(file, sink);
  const { cuts } = await readLogs({
    rpc,
    address: governor,
    topics: Object.values(GOVERNOR_TOPICS),
    range: { from: firstBlock, to: head.number },
    async take(logs) {
      for (const { log, blockNumber } of logs) {
        tally.log(() => {
          const event = governorEventOfLog(log, governor);
          if (event !== undefined) applyEvent(proposals, event, blockNumber, sink.internVoter);
        });
      }
    },
  });
  tally.cuts(cuts);
  tally.judge();
  const clock = await readClock(rpc, governor, chainId);
  if (clock === "unknown" && proposals.size > 0) {
    const message =
      "the governor counts time by a clock of another chain: its votes have no start and no end";
    sink.reject({ file, line: undefined, code: "CLOCK_UNKNOWN", message });
  }
  const counts = await readProposalCounts(reading, governor, clock, [...proposals.values()]);
  for (const [index, logged] of [...proposals.values()].entries()) {
    const timesMs = await times.ofNumbers(blocksOf(logged, clock === "blocknumber", head.number));
    const proposal = tally.log(() =>
      proposalOfLogs(logged, { clock, head, timesMs, decimals: registered.decimals, counts: counts[index] }),
    );
    if (proposal === undefined) continue;
    sink.putProposal(proposal);
    if (logged.votes.votersCount() === 0) continue;
    const { ballot, setAside } = logged.votes.ballot(proposal, timesMs, registered.decimals);
    sink.putBallot(ballot, proposal.scoresState === "final");
    for (const { line, code, message } of setAside) sink.reject({ file, line, code, message });
  }
}

/** Blocks whose times a proposal needs; a block past the head has none yet. */
function blocksOf(logged: LoggedProposal, isBlockClock: boolean, headNumber: number): number[] {
  const edges = isBlockClock ? [Number(logged.start), Number(logged.end)] : [];
  return [
    logged.createdBlock,
    ...edges.filter((block) => block <= headNumber),
    ...logged.votes.blockNumbers(),
  ];
}

function applyEvent(
  proposals: Map<bigint, LoggedProposal>,
  event: GovernorEvent,
  blockNumber: number,
  internVoter: (address: string) => number,
): void {
  const known = proposals.get(event.id);
  if (event.kind === "created") {
    if (known !== undefined) throw new RowError("PROPOSAL_DUPLICATE", "an earlier log has the same id");
    if (proposals.size >= GOVERNOR_LIMITS.proposalsMax) {
      throw new PipelineError(
        "SOURCE_FAILED",
        `a governor has more than ${GOVERNOR_LIMITS.proposalsMax} proposals`,
      );
    }
    const { id, proposer, start, end, description } = event;
    const votes = createVoteTally();
    proposals.set(id, {
      id,
      proposer,
      start,
      end,
      description,
      createdBlock: blockNumber,
      fate: "running",
      votes,
    });
    return;
  }
  if (known === undefined) throw new RowError("PROPOSAL_UNKNOWN", "no earlier log creates its proposal");
  switch (event.kind) {
    case "canceled":
    case "executed":
      known.fate = event.kind;
      return;
    case "extended":
      known.end = event.end;
      return;
    case "vote": {
      const { voter, power, support, reason } = event;
      known.votes.add({ voterId: internVoter(voter), power, support, reason, blockNumber });
    }
  }
}
