import { sortedJson } from "../../snapshots/format/canonical-json.ts";

/** A moment that a source may know only to the day; a day's start counts from 00:00:00.000Z, its end at 23:59:59.999Z. */
export interface Moment {
  readonly atMs: number;
  readonly precision: "second" | "day";
}

/** The voting systems whose choices we can read; `unknown` is any other word. */
export const VOTING_TYPES = [
  "basic",
  "single-choice",
  "approval",
  "ranked-choice",
  "copeland",
  "weighted",
  "quadratic",
  "unknown",
] as const;
export type VotingType = (typeof VOTING_TYPES)[number];

/** One proposal as its source describes it; `undefined` where the source does not know. */
export interface Proposal {
  readonly proposalId: string;
  readonly title: string | undefined;
  /** Where it stands on its platform. */
  readonly link: string | undefined;
  /** Lower-case address. */
  readonly author: string | undefined;
  readonly created: Moment | undefined;
  readonly start: Moment | undefined;
  readonly end: Moment | undefined;
  readonly votingType: VotingType | undefined;
  readonly choicesCount: number | undefined;
  /** The discussion link as given; "" where the author gave none, `undefined` where the source has no such field. */
  readonly discussion: string | undefined;
  readonly quorum: number | undefined;
  /** A rejection quorum counts the votes against: a veto, not a quorum. */
  readonly isQuorumRejection: boolean;
  /** The stored state; `undefined` where the source has none. */
  readonly state: "pending" | "active" | "closed" | "cancelled" | undefined;
  /** `undefined`: an archive of closed proposals, which counts as final. */
  readonly scoresState: "final" | "pending" | "invalid" | undefined;
  readonly scoresTotal: number | undefined;
  /** How many voters the source says there were. */
  readonly votesCount: number | undefined;
  /** Canonical JSON of the proposal's strategies; `undefined` where it has none of its own. */
  readonly strategiesKey: string | undefined;
  /** Another text whenever the source changed the proposal or counted its votes anew; equal counts do not say that. */
  readonly revision: string | undefined;
  readonly isShutter: boolean;
  readonly isFlagged: boolean;
  readonly isDeleted: boolean;
}

/** Canonical text of a proposal's voting strategies: equal ones give equal text; `undefined` where it has none. */
export function strategiesKey(strategies: readonly unknown[] | null | undefined): string | undefined {
  return strategies == null || strategies.length === 0 ? undefined : sortedJson(strategies);
}
