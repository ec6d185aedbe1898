export const VOTE_FLAGS = {
  powerKnown: 1,
  /** `timesS` is exact to the second. */
  timeKnown: 2,
  /** `timesS` is the start of the day; the time of day is unknown. */
  dayKnown: 4,
  reasonGiven: 8,
  /** The power cannot change any more (`vp_state` final, or an archive of closed proposals). */
  final: 16,
  /** Cast before the start or after the end of the vote: kept for reconciliation, in no measure. */
  outsideWindow: 32,
  /** The choice is out of range, of an unknown form or could not be decrypted: also kept, in no measure. */
  choiceUnreadable: 64,
  /** The source reports whether a reason was given; without this bit, a missing `reasonGiven` means nothing. */
  reasonKnown: 128,
} as const;

/** A choice as the voter sent it: one option, an approval or order of options, or weights per option (1-based). */
export type Choice =
  | { readonly kind: "single"; readonly option: number }
  | { readonly kind: "list"; readonly options: readonly number[] }
  | { readonly kind: "weights"; readonly weights: readonly (readonly [option: number, weight: number])[] }
  | { readonly kind: "unreadable" };

/**
 * All votes on one proposal as columns, one row per voter (the voter's last vote).
 * Every column has `count` rows, sorted by voter number, so that equal ballots have equal bytes.
 */
export interface ProposalVotes {
  readonly proposalId: string;
  readonly count: number;
  /** Voter numbers; distinct, ascending. */
  readonly voterIds: Uint32Array;
  /** Voting power; 0 if `powerKnown` is not set. Never negative, NaN or infinite. */
  readonly powers: Float64Array;
  /** Seconds since the epoch; 0 if neither `timeKnown` nor `dayKnown` is set. */
  readonly timesS: Uint32Array;
  readonly choiceIndexes: Uint32Array;
  readonly flags: Uint8Array;
  readonly choices: readonly Choice[];
}

/** One vote from a source, its numbers checked: power is finite and not negative, the time fits 32 bits. */
export interface CastVote {
  readonly voterId: number;
  /** With precision "day", `atS` is the start of the day. */
  readonly created: { readonly atS: number; readonly precision: "second" | "day" } | undefined;
  /** As the voter sent it. */
  readonly choice: unknown;
  readonly power: number | undefined;
  /** `undefined` if the source does not report it. */
  readonly isReasonGiven: boolean | undefined;
  readonly isFinal: boolean;
  readonly voteId: string | undefined;
  /** Line number in its source, from 1. */
  readonly line: number;
}

/** The flags that follow from the vote itself; `outsideWindow` and `choiceUnreadable` are added by its ballot. */
export function flagsOfCast({ power, created, isReasonGiven, isFinal }: CastVote): number {
  return (
    (power === undefined ? 0 : VOTE_FLAGS.powerKnown) |
    (created?.precision === "second" ? VOTE_FLAGS.timeKnown : 0) |
    (created?.precision === "day" ? VOTE_FLAGS.dayKnown : 0) |
    (isReasonGiven === undefined ? 0 : VOTE_FLAGS.reasonKnown) |
    (isReasonGiven === true ? VOTE_FLAGS.reasonGiven : 0) |
    (isFinal ? VOTE_FLAGS.final : 0)
  );
}
