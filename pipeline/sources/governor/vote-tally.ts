import { createVotesBuilder } from "../../facts/collect-votes.ts";
import { sourceFailed } from "../../facts/errors.ts";
import type { Proposal } from "../../facts/proposal.ts";
import { type CastPower, NO_POWER, sumOfPower, wholeTokens } from "../upstream/parse-values.ts";
import { rowFailure } from "../upstream/row-error.ts";
import { GOVERNOR_LIMITS } from "./rpc.ts";

/** The options of a basic vote, in this order, which is not that of `support`; the last is one that no proposal has. */
const OPTIONS = ["for", "against", "abstain", "other"] as const;
/** By `support`; any other is `other`: the vote is kept, but counts in no measure. */
const SUPPORTS = ["against", "for", "abstain"] as const;

interface LoggedVote {
  readonly voterId: number;
  readonly power: CastPower;
  /** As given by the voter; for a vote without power it is the only record of the option. */
  readonly support: number;
  readonly reason: string | undefined;
  readonly blockNumber: number;
}

type VoteTally = ReturnType<typeof createVoteTally>;

/**
 * Collects votes. A governor lets a voter vote again only with their remaining power (fractional counting),
 * so several votes of one voter are merged into one with the summed power and the time of the last.
 */
export function createVoteTally() {
  const rows = new Map<number, LoggedVote>();
  return {
    add(vote: LoggedVote): void {
      const before = rows.get(vote.voterId);
      rows.set(vote.voterId, before === undefined ? vote : joined(before, vote));
      if (rows.size <= GOVERNOR_LIMITS.voteRowsMax) return;
      throw sourceFailed(`a proposal has more than ${GOVERNOR_LIMITS.voteRowsMax} voters`);
    },
    /** Takes back part of a vote. Throws `RowFailure` if that is more than the voter cast. */
    reduce(voterId: number, power: CastPower): void {
      const before = rows.get(voterId);
      const left = before && combined(before.power, power, (was, taken) => was - taken);
      if (before === undefined || left === undefined || Object.values(left).some((part) => part < 0n)) {
        throw rowFailure("POWER_INVALID", "more of a vote is taken back than was cast");
      }
      rows.set(voterId, { ...before, power: left });
    },
    votersCount: () => rows.size,
    power: () => [...rows.values()].reduce((sum, { power }) => plus(sum, power), NO_POWER),
    isSplit: () => [...rows.values()].some(({ power }) => optionsOf(power).length > 1),
    ballot(proposal: Proposal, timesMs: ReadonlyMap<number, number>, decimals: number) {
      const builder = createVotesBuilder(proposal);
      const isFractional = proposal.votingType === "fractional";
      let line = 0;
      for (const vote of rows.values()) {
        const { voterId, power, reason, blockNumber } = vote;
        line += 1;
        const timeMs = timesMs.get(blockNumber);
        builder.add({
          voterId,
          created: timeMs === undefined ? undefined : { atS: timeMs / 1000, precision: "second" },
          choice: choiceOf(vote, isFractional),
          power: wholeTokens(sumOfPower(power), decimals),
          isReasonGiven: reason === undefined ? undefined : reason.trim() !== "",
          isFinal: true,
          voteId: undefined,
          line,
        });
      }
      return builder.finish();
    },
  };
}

function joined(before: LoggedVote, vote: LoggedVote): LoggedVote {
  return {
    ...vote,
    power: plus(before.power, vote.power),
    reason: vote.reason?.trim() ? vote.reason : (before.reason ?? vote.reason),
  };
}

function combined(a: CastPower, b: CastPower, combine: (a: bigint, b: bigint) => bigint): CastPower {
  return {
    against: combine(a.against, b.against),
    for: combine(a.for, b.for),
    abstain: combine(a.abstain, b.abstain),
    other: combine(a.other, b.other),
  };
}

const plus = (a: CastPower, b: CastPower): CastPower => combined(a, b, (one, other) => one + other);

const optionsOf = (power: CastPower) => OPTIONS.filter((option) => power[option] > 0n);

/** One option, from 1, in a basic vote, the parts in a fractional one. A vote without power counts for its `support`. */
function choiceOf({ power, support }: LoggedVote, isFractional: boolean): unknown {
  const options = optionsOf(power);
  const numberOf = (option: (typeof OPTIONS)[number]) => OPTIONS.indexOf(option) + 1;
  if (isFractional && options.length > 1) {
    return Object.fromEntries(options.map((option) => [numberOf(option), Number(power[option])]));
  }
  const option = numberOf(options[0] ?? SUPPORTS[support] ?? "other");
  return isFractional ? { [option]: 1 } : option;
}

/** A proposal as read from its governor's logs so far. Start and end are in the governor's clock. */
export interface LoggedProposal {
  readonly id: bigint;
  readonly proposer: string;
  readonly start: bigint;
  /** Late votes may extend it. */
  end: bigint;
  readonly description: string;
  readonly createdBlock: number;
  fate: "running" | "canceled" | "executed";
  readonly votes: VoteTally;
}
