/** What a vote's flag byte says. */
export const VOTE_FLAGS = {
  powerKnown: 1,
  /** `timesS` is exact to the second. */
  timeKnown: 2,
  /** `timesS` is the start of the day; the time in it is not known. */
  dayKnown: 4,
  reasonGiven: 8,
  /** Its power will not change any more (`vp_state` final, or an archive of closed proposals). */
  final: 16,
  /** Cast before the start or after the end of the vote: kept for reconciliation, measured by nothing. */
  outsideWindow: 32,
  /** The choice is out of range, of an unknown form or could not be decrypted: kept likewise. */
  choiceUnreadable: 64,
  /** The source tells whether a reason was given; without it, no `reasonGiven` means nothing. */
  reasonKnown: 128,
} as const;

/** A choice as the voter sent it: one option, an approval or order of options, or weights per option (1-based). */
export type Choice =
  | { readonly kind: "single"; readonly option: number }
  | { readonly kind: "list"; readonly options: readonly number[] }
  | { readonly kind: "weights"; readonly weights: readonly (readonly [option: number, weight: number])[] }
  | { readonly kind: "unreadable" };

/**
 * All votes on one proposal as columns, one place per voter (a voter's last vote).
 * Every column has `count` places. Sorted by voter id, so that equal ballots are equal bytes.
 */
export interface ProposalVotes {
  readonly proposalId: string;
  readonly count: number;
  /** Interned voter numbers; distinct, ascending. */
  readonly voterIds: Uint32Array;
  /** Voting power; 0 where `powerKnown` is not set. Never negative, NaN or infinite. */
  readonly powers: Float64Array;
  /** Seconds since the epoch; 0 where neither `timeKnown` nor `dayKnown` is set. */
  readonly timesS: Uint32Array;
  /** Index into `choices`. */
  readonly choiceIndexes: Uint32Array;
  readonly flags: Uint8Array;
  /** The distinct choices of this ballot. */
  readonly choices: readonly Choice[];
}

/** One vote as its source gives it, its numbers checked: power finite and not negative, a time within 32 bits. */
export interface CastVote {
  readonly voterId: number;
  /** With precision "day", `atS` is the start of the day. */
  readonly created: { readonly atS: number; readonly precision: "second" | "day" } | undefined;
  /** As the voter sent it. */
  readonly choice: unknown;
  readonly power: number | undefined;
  /** `undefined` where the source does not tell. */
  readonly isReasonGiven: boolean | undefined;
  readonly isFinal: boolean;
  readonly voteId: string | undefined;
  /** Where it stood in its source, from 1. */
  readonly line: number;
}

/** What a vote says of itself, as its flags; what its ballot says of it comes on top. */
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
