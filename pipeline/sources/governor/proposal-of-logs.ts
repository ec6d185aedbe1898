import type { Moment, Proposal } from "../../facts/proposal.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import { parseSeconds } from "../upstream/parse-moment.ts";
import { RowError } from "../upstream/row-error.ts";
import type { ChainBlock } from "./chain-block.ts";
import type { LoggedProposal } from "./logged-proposal.ts";
import type { ContractClock } from "./read-clock.ts";
import type { ProposalCounts } from "./read-proposal-counts.ts";
import { timepointOf } from "./timepoint-of.ts";
import { wholeTokens } from "./whole-tokens.ts";

/** What has to be known beside the logs. */
export interface ProposalSurroundings {
  readonly clock: ContractClock;
  readonly head: ChainBlock;
  /** By block number. */
  readonly timesMs: ReadonlyMap<number, number>;
  readonly decimals: number;
  readonly counts: ProposalCounts | undefined;
}

/** For, Against, Abstain, in the order of a basic vote on the hub. */
const CHOICES_COUNT = 3;

/** A governor's proposal as we remember it. Throws `RowError` for one that cannot be. */
export function proposalOfLogs(logged: LoggedProposal, around: ProposalSurroundings): Proposal {
  const { id, proposer, createdBlock, description, votes } = logged;
  if (logged.end < logged.start) throw new RowError("ENDS_BEFORE_START", "the vote ends before it starts");
  const { counts, decimals } = around;
  const createdMs = around.timesMs.get(createdBlock);
  const total = counts?.total ?? votes.total();
  const state = stateOf(logged, around);
  return {
    proposalId: id.toString(),
    title: upstreamText(titleOf(description)),
    author: proposer,
    created: createdMs === undefined ? undefined : { atMs: createdMs, precision: "second" },
    start: momentOf(logged.start, around, "start"),
    end: momentOf(logged.end, around, "end"),
    // Parts of one voter's power are weights; all choices of a ballot are of one form.
    votingType: votes.isSplit() ? "weighted" : "basic",
    choicesCount: CHOICES_COUNT,
    discussion: undefined,
    quorum: counts?.quorum === undefined ? undefined : wholeTokens(counts.quorum, decimals),
    isQuorumRejection: false,
    state,
    scoresState: state === "closed" || state === "cancelled" ? "final" : "pending",
    scoresTotal: wholeTokens(total, decimals),
    votesCount: votes.votersCount(),
    strategiesKey: undefined,
    isShutter: false,
    isFlagged: false,
    isDeleted: false,
  };
}

/** A vote runs from the point after its start to its end, that included. */
function stateOf(
  { fate, start, end }: LoggedProposal,
  { clock, head }: ProposalSurroundings,
): Proposal["state"] {
  if (fate === "canceled") return "cancelled";
  if (fate === "executed") return "closed";
  const now = timepointOf(head, clock);
  if (now === undefined) return undefined;
  if (now > end) return "closed";
  return now > start ? "active" : "pending";
}

/** The exact time of a point of the clock; a block that is not there yet has none. */
function momentOf(point: bigint, { clock, timesMs }: ProposalSurroundings, what: string): Moment | undefined {
  if (clock === "timestamp") return { atMs: parseSeconds(Number(point), what) * 1000, precision: "second" };
  const atMs = clock === "blocknumber" ? timesMs.get(Number(point)) : undefined;
  return atMs === undefined ? undefined : { atMs, precision: "second" };
}

/** The first line of a description that has something in it, without the marks of a heading. */
function titleOf(description: string): string {
  const line = description.split(/\r?\n|\\n/, 20).find((candidate) => candidate.trim() !== "") ?? "";
  return line.trim().replace(/^#+\s*/, "");
}
