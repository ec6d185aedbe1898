import * as AbiFunction from "ox/AbiFunction";
import type { Moment, Proposal } from "../../facts/proposal.ts";
import { upstreamTitle } from "../../facts/upstream-text.ts";
import { parseSeconds } from "../upstream/parse-values.ts";
import { RowError } from "../upstream/row-error.ts";
import type { ChainBlock } from "./blocks.ts";
import { type ContractAnswer, type ContractClock, decodeAnswer, timepointOf } from "./contract-calls.ts";
import type { GovernorReading } from "./reading.ts";
import { type LoggedProposal, wholeTokens } from "./vote-tally.ts";

/** What the governor itself says about one proposal, in the token's smallest unit. */
interface ProposalCounts {
  readonly quorum: bigint | undefined;
  /** All power cast, of a vote that is over. */
  readonly total: bigint | undefined;
}

const QUORUM = AbiFunction.from("function quorum(uint256) view returns (uint256)");
const QUORUM_VOTES = AbiFunction.from("function quorumVotes() view returns (uint256)");
const PROPOSAL_VOTES = AbiFunction.from(
  "function proposalVotes(uint256) view returns (uint256, uint256, uint256)",
);
const PROPOSALS = AbiFunction.from("function proposals(uint256) view returns (uint256)");
const CALLS_PER_PROPOSAL = 4;

/**
 * Asks the governor for the quorum at each vote's start, once that is past, and for the power it counted itself:
 * a figure to hold the logs against.
 */
export async function readProposalCounts(
  { aggregate, head }: GovernorReading,
  governor: string,
  clock: ContractClock,
  proposals: readonly LoggedProposal[],
): Promise<ProposalCounts[]> {
  const calls = proposals.flatMap(({ id, start }) =>
    [
      AbiFunction.encodeData(QUORUM, [start]),
      AbiFunction.encodeData(QUORUM_VOTES),
      AbiFunction.encodeData(PROPOSAL_VOTES, [id]),
      AbiFunction.encodeData(PROPOSALS, [id]),
    ].map((data) => ({ to: governor, data })),
  );
  const answers = await aggregate(calls, "latest");
  const now = timepointOf(head, clock);
  return proposals.map((logged, index) => {
    const [quorum, quorumVotes, votes, struct] = answers.slice(index * CALLS_PER_PROPOSAL);
    const hasStarted = now !== undefined && now > logged.start;
    const isOver = now !== undefined && now > logged.end;
    return {
      quorum: hasStarted
        ? (decodeAnswer(QUORUM, quorum) ?? decodeAnswer(QUORUM_VOTES, quorumVotes))
        : undefined,
      total: isOver ? (sumOf(decodeAnswer(PROPOSAL_VOTES, votes)) ?? sumOfStruct(struct, logged)) : undefined,
    };
  });
}

function sumOf(parts: readonly bigint[] | undefined): bigint | undefined {
  return parts?.reduce((sum, part) => sum + part, 0n);
}

/**
 * `proposals(id)` of GovernorBravo has ten words (id, proposer, eta, start, end, for, against, abstain, …), that of
 * GovernorAlpha nine, without abstain. Others of that name are other structures, which id, start and end give away.
 */
function sumOfStruct(answer: ContractAnswer, { id, start, end }: LoggedProposal): bigint | undefined {
  if (answer === undefined) return undefined;
  const words = Array.from({ length: (answer.length - 2) / 64 }, (_, place) =>
    BigInt(`0x${answer.slice(2 + 64 * place, 66 + 64 * place)}`),
  );
  const isOurs = words[0] === id && words[3] === start && words[4] === end;
  if (!isOurs || (words.length !== 9 && words.length !== 10)) return undefined;
  return sumOf(words.slice(5, words.length - 2));
}

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
    title: upstreamTitle(titleOf(description)),
    // No platform is known by a contract alone.
    link: undefined,
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
    revision: undefined,
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
