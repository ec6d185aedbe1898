import { z } from "zod";
import type { Space } from "../../facts/dao-facts.ts";
import { type Proposal, VOTING_TYPES } from "../../facts/proposal.ts";
import type { CastVote } from "../../facts/proposal-votes.ts";
import { upstreamLink, upstreamText, upstreamTitle } from "../../facts/upstream-text.ts";
import {
  type CastPower,
  parseAddress,
  parseId,
  parseSeconds,
  quorumOf,
  sumOfPower,
  type VoteOption,
  wholeTokens,
} from "../upstream/parse-values.ts";
import { rowFailure } from "../upstream/row-error.ts";

/** The protocols whose quorum and choices are known. */
export const PROTOCOLS = ["governor-bravo", "@openzeppelin/governor", "snapshot-x"] as const;

const Named = z.object({ id: z.string() });
/** A whole number of any size: amounts are of the smallest unit. */
const Amount = z.string().regex(/^\d{1,78}$/);
const Seconds = z.string().regex(/^\d{1,12}$/);
const Text = z.string().nullish();

export const ApiSpace = z.object({
  _indexer: z.string(),
  id: z.string(),
  protocol: z.string(),
  verified: z.boolean(),
  proposal_threshold: Amount,
  max_voting_period: Amount,
  metadata: z.object({ name: Text, external_url: Text }).nullish(),
});
export type ApiSpace = z.infer<typeof ApiSpace>;

export const ApiProposal = z.object({
  _indexer: z.string(),
  proposal_id: z.string(),
  space: Named,
  author: Named,
  link: Text,
  created: z.number(),
  start: Seconds,
  max_end: Seconds,
  type: z.string(),
  metadata: z.object({ title: Text, discussion: Text, choices: z.array(z.unknown()).nullish() }).nullish(),
  scores_1: Amount,
  scores_2: Amount,
  scores_3: Amount,
  scores_total: Amount,
  vp_decimals: z.int().min(0).max(77),
  quorum: Amount,
  quorum_type: Text,
  quorum_finalized: z.boolean(),
  vote_count: z.int().min(0),
  cancelled: z.boolean(),
  vetoed: z.boolean(),
  execution_settled: z.boolean(),
  executed_at: Seconds.nullish(),
});
export type ApiProposal = z.infer<typeof ApiProposal>;

export const ApiVote = z.object({
  _indexer: z.string(),
  space: Named,
  proposal: z.string(),
  voter: Named,
  choice: z.int(),
  vp: Amount,
  created: z.number(),
  metadata: z.object({ reason: Text }).nullish(),
});

/** A vote as it is stored for an interrupted fetch: of the reason, only whether there is one. */
export const StoredVote = z.object({
  proposal: z.string(),
  voter: z.string(),
  choice: z.int(),
  vp: Amount,
  created: z.number(),
  isReasonGiven: z.boolean(),
});
export type StoredVote = z.infer<typeof StoredVote>;

export function spaceOfApi(space: ApiSpace): Space {
  const isGovernor = space.protocol !== "snapshot-x";
  const isGated = BigInt(space.proposal_threshold) > 0n;
  return {
    name: upstreamText(space.metadata?.name),
    website: upstreamLink(space.metadata?.external_url),
    forum: undefined,
    // A space of Snapshot X may have other gates than a threshold.
    isProposingGated: isGovernor || isGated ? isGated : undefined,
    // A governor's contract has one period; a space of Snapshot X limits it.
    hasFixedPeriod: isGovernor || BigInt(space.max_voting_period) > 0n,
    quorum: undefined,
    adminsAndModeratorsCount: undefined,
    isFlagged: undefined,
    isHibernated: undefined,
    isVerified: space.verified,
  };
}

/** What a proposal's facts are made of, besides its row. */
interface ProposalContext {
  readonly protocol: string;
  readonly nowMs: number;
}

/** Maps a proposal of the service to ours. Throws `RowFailure` if it is invalid. */
export function proposalOfApi(row: ApiProposal, { protocol, nowMs }: ProposalContext): Proposal {
  const { vp_decimals: decimals } = row;
  const proposalId = parseId(row.proposal_id, "proposal_id");
  const startMs = momentMs(row.start, "start");
  const endMs = endOf(row);
  if (endMs < startMs) throw rowFailure("ENDS_BEFORE_START", "the vote ends before it starts");
  const isStopped = row.cancelled || row.vetoed;
  const state = endMs <= nowMs ? "closed" : startMs <= nowMs ? "active" : "pending";
  return {
    proposalId,
    title: upstreamTitle(row.metadata?.title),
    link: upstreamLink(row.link, proposalId),
    author: parseAddress(row.author.id, "author"),
    created: { atMs: parseSeconds(row.created, "created") * 1000, precision: "second" },
    start: { atMs: startMs, precision: "second" },
    end: { atMs: endMs, precision: "second" },
    votingType: VOTING_TYPES.find((known) => known === row.type) ?? "unknown",
    choicesCount: row.metadata?.choices?.length || 3,
    // Governors have no field for a discussion.
    discussion: protocol === "snapshot-x" ? (row.metadata?.discussion ?? "") : undefined,
    ...quorumOf(knownQuorum(row, protocol), powerOf(row), countedOptions(row, protocol), decimals),
    isQuorumRejection: false,
    state: isStopped ? "cancelled" : state,
    scoresState: isStopped || state === "closed" ? "final" : "pending",
    scoresTotal: wholeTokens(BigInt(row.scores_total), decimals),
    votesCount: row.vote_count,
    strategiesKey: undefined,
    revision: JSON.stringify([row.start, row.max_end, row.vote_count, row.scores_total, decimals]),
    isShutter: false,
    isFlagged: false,
    isDeleted: false,
  };
}

/** The service writes 0 for a strategy of Snapshot X that it does not know, and estimates a governor's until the first vote. */
function knownQuorum({ quorum, quorum_finalized }: ApiProposal, protocol: string): bigint | undefined {
  const isKnown =
    protocol === "snapshot-x" ? BigInt(quorum) > 0n : protocol === "governor-bravo" || quorum_finalized;
  return isKnown ? BigInt(quorum) : undefined;
}

/** Without a type, votes for and abstentions count, but the service gives every proposal of Bravo a type. */
function countedOptions(
  { quorum_type: type }: ApiProposal,
  protocol: string,
): readonly VoteOption[] | undefined {
  if (type === "for_only") return ["for"];
  return type == null && protocol !== "governor-bravo" ? ["for", "abstain"] : undefined;
}

/** Encrypted votes are in the total before they are counted by option. */
function powerOf(row: ApiProposal): CastPower {
  const power = {
    for: BigInt(row.scores_1),
    against: BigInt(row.scores_2),
    abstain: BigInt(row.scores_3),
    other: 0n,
  };
  const other = BigInt(row.scores_total) - sumOfPower(power);
  return { ...power, other: other > 0n ? other : 0n };
}

/** A space of Snapshot X may execute a proposal before its last moment; nobody can vote after that. */
function endOf({ max_end, execution_settled, executed_at }: ApiProposal): number {
  const endMs = momentMs(max_end, "max_end");
  return execution_settled && executed_at != null
    ? Math.min(endMs, momentMs(executed_at, "executed_at"))
    : endMs;
}

const momentMs = (seconds: string, what: string): number => parseSeconds(Number(seconds), what) * 1000;

/** Maps a vote. Throws `RowFailure` if invalid; numbers the voter only if all else is valid. */
export function voteOfApi(
  vote: StoredVote,
  { decimals, line }: { readonly decimals: number; readonly line: number },
  internVoter: (address: string) => number,
): CastVote {
  const voter = parseAddress(vote.voter, "voter");
  const cast = {
    created: { atS: parseSeconds(vote.created, "created"), precision: "second" as const },
    choice: vote.choice,
    power: wholeTokens(BigInt(vote.vp), decimals),
    isReasonGiven: vote.isReasonGiven,
    isFinal: true,
    voteId: undefined,
    line,
  };
  return { voterId: internVoter(voter), ...cast };
}
