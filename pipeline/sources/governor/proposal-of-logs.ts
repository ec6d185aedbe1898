import * as AbiFunction from "ox/AbiFunction";
import type { Moment, Proposal } from "../../facts/proposal.ts";
import { upstreamTitle } from "../../facts/upstream-text.ts";
import {
  type CastPower,
  parseSeconds,
  quorumOf,
  sumOfPower,
  VOTE_OPTIONS,
  type VoteOption,
  wholeTokens,
} from "../upstream/parse-values.ts";
import { rowFailure } from "../upstream/row-error.ts";
import type { ChainBlock } from "./blocks.ts";
import { type ContractAnswer, type ContractClock, decodeAnswer, timepointOf } from "./contract-calls.ts";
import type { GovernorReading } from "./reading.ts";
import type { LoggedProposal } from "./vote-tally.ts";

/** The governor's own figures for one proposal, in the token's smallest unit. */
interface ProposalCounts {
  readonly quorum: bigint | undefined;
  /** The options that count for the quorum; `undefined` if that is not known. */
  readonly counted: readonly VoteOption[] | undefined;
  /** The power cast, if the vote has ended. */
  readonly power: CastPower | undefined;
}

const QUORUM = AbiFunction.from("function quorum(uint256) view returns (uint256)");
const QUORUM_VOTES = AbiFunction.from("function quorumVotes() view returns (uint256)");
const COUNTING_MODE = AbiFunction.from("function COUNTING_MODE() view returns (string)");
const PROPOSAL_VOTES = AbiFunction.from(
  "function proposalVotes(uint256) view returns (uint256, uint256, uint256)",
);
const PROPOSALS = AbiFunction.from("function proposals(uint256) view returns (uint256)");
const CALLS_PER_PROPOSAL = 4;

/**
 * Reads the quorum at each vote's start, once that has passed, what counts for it, and the counted power, to check the logs
 * against.
 */
export async function readProposalCounts(
  { aggregate, head }: GovernorReading,
  governor: string,
  clock: ContractClock,
  proposals: readonly LoggedProposal[],
): Promise<ProposalCounts[]> {
  if (proposals.length === 0) return [];
  const ofProposals = proposals.flatMap(({ id, start }) => [
    AbiFunction.encodeData(QUORUM, [start]),
    AbiFunction.encodeData(QUORUM_VOTES),
    AbiFunction.encodeData(PROPOSAL_VOTES, [id]),
    AbiFunction.encodeData(PROPOSALS, [id]),
  ]);
  const calls = [...ofProposals, AbiFunction.encodeData(COUNTING_MODE)];
  const answers = await aggregate(calls.map((data) => ({ to: governor, data })));
  const mode = answers.at(-1);
  const counted = countedOptions(decodeAnswer(COUNTING_MODE, mode));
  const now = timepointOf(head, clock);
  return proposals.map((logged, index) => {
    const [quorumAnswer, quorumVotes, votes, struct] = answers.slice(index * CALLS_PER_PROPOSAL);
    const quorum = decodeAnswer(QUORUM, quorumAnswer);
    // Only Alpha and Bravo have nothing but `quorumVotes`, and no counting mode.
    const isBravo = mode === undefined && quorum === undefined;
    const hasStarted = now !== undefined && now > logged.start;
    const isOver = now !== undefined && now > logged.end;
    return {
      quorum: hasStarted ? (quorum ?? decodeAnswer(QUORUM_VOTES, quorumVotes)) : undefined,
      counted: isBravo ? ["for"] : counted,
      power: isOver ? (powerOf(votes) ?? powerOfStruct(struct, logged)) : undefined,
    };
  });
}

/** The options that count for the quorum by a governor's counting mode: `bravo` are the votes for. */
function countedOptions(mode: string | undefined): readonly VoteOption[] | undefined {
  const names = new URLSearchParams(mode).get("quorum")?.replace("bravo", "for").split(",") ?? [];
  const options = VOTE_OPTIONS.filter((option) => names.includes(option));
  return options.length === names.length && options.includes("for") ? options : undefined;
}

function powerOf(answer: ContractAnswer): CastPower | undefined {
  const votes = decodeAnswer(PROPOSAL_VOTES, answer);
  return votes && { against: votes[0], for: votes[1], abstain: votes[2], other: 0n };
}

/**
 * `proposals(id)` of GovernorBravo returns ten words (id, proposer, eta, start, end, for, against, abstain,
 * …), that of GovernorAlpha nine, without abstain. Other structures are recognised by a different id, start
 * or end.
 */
function powerOfStruct(answer: ContractAnswer, { id, start, end }: LoggedProposal): CastPower | undefined {
  if (answer === undefined) return undefined;
  const words = Array.from({ length: (answer.length - 2) / 64 }, (_, index) =>
    BigInt(`0x${answer.slice(2 + 64 * index, 66 + 64 * index)}`),
  );
  const isOurs = words[0] === id && words[3] === start && words[4] === end;
  if (!isOurs || (words.length !== 9 && words.length !== 10)) return undefined;
  const [inFavour = 0n, against = 0n, abstain = 0n] = words.slice(5, words.length - 2);
  return { for: inFavour, against, abstain, other: 0n };
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
  const power = counts?.power ?? votes.power();
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
    ...quorumOf(counts?.quorum, power, counts?.counted, decimals),
    isQuorumRejection: false,
    state,
    scoresState: state === "closed" || state === "cancelled" ? "final" : "pending",
    scoresTotal: wholeTokens(sumOfPower(power), decimals),
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

function titleOf(description: string): string {
  const line = description.split(/\r?\n|\\n/, 20).find((candidate) => candidate.trim() !== "") ?? "";
  return line.trim().replace(/^#+\s*/, "");
}
