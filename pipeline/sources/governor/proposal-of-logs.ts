import * as AbiFunction from "ox/AbiFunction";
import type { Moment, Proposal } from "../../facts/proposal.ts";
import { upstreamTitle } from "../../facts/upstream-text.ts";
import { parseSeconds, wholeTokens } from "../upstream/parse-values.ts";
import { rowFailure } from "../upstream/row-error.ts";
import type { ChainBlock } from "./blocks.ts";
import { type ContractAnswer, type ContractClock, decodeAnswer, timepointOf } from "./contract-calls.ts";
import type { GovernorReading } from "./reading.ts";
import type { LoggedProposal } from "./vote-tally.ts";

/** The governor's own figures for one proposal, in the token's smallest unit. */
interface ProposalCounts {
  readonly quorum: bigint | undefined;
  /** All power cast, if the vote has ended. */
  readonly total: bigint | undefined;
}

const QUORUM = AbiFunction.from("function quorum(uint256) view returns (uint256)");
const QUORUM_VOTES = AbiFunction.from("function quorumVotes() view returns (uint256)");
const PROPOSAL_VOTES = AbiFunction.from(
  "function proposalVotes(uint256) view returns (uint256, uint256, uint256)",
);
const PROPOSALS = AbiFunction.from("function proposals(uint256) view returns (uint256)");
const CALLS_PER_PROPOSAL = 4;

/** Reads the quorum at each vote's start, once that has passed, and the counted power, to check the logs against. */
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
  const answers = await aggregate(calls);
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
 * `proposals(id)` of GovernorBravo returns ten words (id, proposer, eta, start, end, for, against, abstain,
 * …), that of GovernorAlpha nine, without abstain. Other structures are recognised by a different id, start
 * or end.
 */
function sumOfStruct(answer: ContractAnswer, { id, start, end }: LoggedProposal): bigint | undefined {
  if (answer === undefined) return undefined;
  const words = Array.from({ length: (answer.length - 2) / 64 }, (_, index) =>
    BigInt(`0x${answer.slice(2 + 64 * index, 66 + 64 * index)}`),
  );
  const isOurs = words[0] === id && words[3] === start && words[4] === end;
  if (!isOurs || (words.length !== 9 && words.length !== 10)) return undefined;
  return sumOf(words.slice(5, words.length - 2));
}

export interface ProposalContext {
  readonly clock: ContractClock;
  readonly head: ChainBlock;
  /** By block number. */
  readonly timesMs: ReadonlyMap<number, number>;
  readonly decimals: number;
  readonly counts: ProposalCounts | undefined;
}

/** For, Against, Abstain: the order of a basic vote on the hub. */
const CHOICES_COUNT = 3;

/** Builds a proposal from a governor's logs. Throws `RowFailure` if it is invalid. */
export function proposalOfLogs(logged: LoggedProposal, context: ProposalContext): Proposal {
  const { id, proposer, createdBlock, description, votes } = logged;
  if (logged.end < logged.start) throw rowFailure("ENDS_BEFORE_START", "the vote ends before it starts");
  const { counts, decimals } = context;
  const createdMs = context.timesMs.get(createdBlock);
  const total = counts?.total ?? votes.total();
  const state = stateOf(logged, context);
  return {
    proposalId: id.toString(),
    title: upstreamTitle(titleOf(description)),
    // The contract alone does not name a platform.
    link: undefined,
    author: proposer,
    created: createdMs === undefined ? undefined : { atMs: createdMs, precision: "second" },
    start: momentOf(logged.start, context, "start"),
    end: momentOf(logged.end, context, "end"),
    // A split vote has weights, and all choices of a ballot need the same form.
    votingType: votes.isSplit() ? "fractional" : "basic",
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

/** A vote runs from the point after its start up to and including its end. */
function stateOf({ fate, start, end }: LoggedProposal, { clock, head }: ProposalContext): Proposal["state"] {
  if (fate === "canceled") return "cancelled";
  if (fate === "executed") return "closed";
  const now = timepointOf(head, clock);
  if (now === undefined) return undefined;
  if (now > end) return "closed";
  return now > start ? "active" : "pending";
}

/** The exact time of a clock point; `undefined` for a future block. */
function momentOf(point: bigint, { clock, timesMs }: ProposalContext, what: string): Moment | undefined {
  if (clock === "timestamp") return { atMs: parseSeconds(Number(point), what) * 1000, precision: "second" };
  const atMs = clock === "blocknumber" ? timesMs.get(Number(point)) : undefined;
  return atMs === undefined ? undefined : { atMs, precision: "second" };
}

/** The first non-empty line of a description, without heading marks. */
function titleOf(description: string): string {
  const line = description.split(/\r?\n|\\n/, 20).find((candidate) => candidate.trim() !== "") ?? "";
  return line.trim().replace(/^#+\s*/, "");
}
