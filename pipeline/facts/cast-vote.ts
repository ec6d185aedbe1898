import { VOTE_FLAGS } from "./ballot.ts";

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
