import { sortedJson } from "../../snapshots/format/canonical-json.ts";

/** A moment that a source may know only to the day: as a start it means 00:00:00.000Z, as an end 23:59:59.999Z. */
export interface Moment {
  readonly atMs: number;
  readonly precision: "second" | "day";
}

/**
 * The voting systems whose choices we can read; `unknown` is any other. `fractional` is a Governor's basic vote (for,
 * against, abstain) in which a voter may divide its power.
 */
export const VOTING_TYPES = [
  "basic",
  "single-choice",
  "approval",
  "ranked-choice",
  "copeland",
  "weighted",
  "quadratic",
  "fractional",
  "unknown",
] as const;
export type VotingType = (typeof VOTING_TYPES)[number];

/** One proposal as its source describes it; a field is `undefined` if the source does not know it. */
export interface Proposal {
  readonly proposalId: string;
  readonly title: string | undefined;
  readonly link: string | undefined;
  /** Lower-case address. */
  readonly author: string | undefined;
  readonly created: Moment | undefined;
  readonly start: Moment | undefined;
  readonly end: Moment | undefined;
  readonly votingType: VotingType | undefined;
  readonly choicesCount: number | undefined;
  /** The discussion link as received; "" if the author gave none, `undefined` if the source has no such field. */
  readonly discussion: string | undefined;
  /** Also `undefined` if it is not known which power counts for it. */
  readonly quorum: number | undefined;
  /** A rejection quorum counts the votes against: a veto, not a quorum. */
  readonly isQuorumRejection: boolean;
  /** The power that counts for the quorum, if only a part of the power cast does. */
  readonly quorumPower: number | undefined;
  /** The state as received; `undefined` if the source has none. */
  readonly state: "pending" | "active" | "closed" | "cancelled" | undefined;
  /** `undefined` for an archive of closed proposals, which counts as final. */
  readonly scoresState: "final" | "pending" | "invalid" | undefined;
  readonly scoresTotal: number | undefined;
  readonly votesCount: number | undefined;
  /** Canonical JSON of the proposal's voting strategies; `undefined` if it has none of its own. */
  readonly strategiesKey: string | undefined;
  /** Changes whenever the source changes the proposal or recounts its votes, which equal counts would not show. */
  readonly revision: string | undefined;
  readonly isShutter: boolean;
  readonly isFlagged: boolean;
  readonly isDeleted: boolean;
}

/** Canonical JSON of voting strategies: equal strategies give equal texts; `undefined` if there are none. */
export function strategiesKey(strategies: readonly unknown[] | null | undefined): string | undefined {
  return strategies == null || strategies.length === 0 ? undefined : sortedJson(strategies);
}
