import * as AbiFunction from "ox/AbiFunction";
import { type ContractAnswer, decodeAnswer } from "./contract-call.ts";
import type { LoggedProposal } from "./logged-proposal.ts";
import type { ContractClock } from "./read-clock.ts";
import type { GovernorReading } from "./reading.ts";
import { timepointOf } from "./timepoint-of.ts";

/** What the governor itself says about one proposal, in the token's smallest unit. */
export interface ProposalCounts {
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
      total: isOver ? (sumOfVotes(votes) ?? sumOfStruct(struct, logged)) : undefined,
    };
  });
}

function sumOfVotes(answer: ContractAnswer): bigint | undefined {
  return decodeAnswer(PROPOSAL_VOTES, answer)?.reduce((sum, part) => sum + part, 0n);
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
  return words.slice(5, words.length - 2).reduce((sum, part) => sum + part, 0n);
}
