import { DAY_MS, dayStartMs } from "../base/days.ts";
import { parseUrl } from "../base/parse-url.ts";
import type { Proposal } from "../facts/proposal.ts";
import type { BallotVotes } from "./ballot-votes.ts";
import { topChoiceShare } from "./contestedness.ts";
import type { MemberMeasures } from "./measures.ts";
import { placesByTime } from "./timed-ballot.ts";
import { clamp, halfOf } from "./weighted-statistics.ts";

/** What is looked at of one proposal, before it is mapped to marks. */
export type DeliberationMeasures = Pick<
  MemberMeasures,
  | "hasDiscussionLink"
  | "votingPeriodDays"
  | "reviewDelayDays"
  | "topChoiceShare"
  | "rationaleShare"
  | "elapsedAtHalfPower"
>;
function isDiscussionLink(discussion: string | undefined): boolean | undefined {
  if (discussion === undefined) return undefined;
  const protocol = parseUrl(discussion)?.protocol;
  return protocol === "http:" || protocol === "https:";
}

/** Days a vote was open; whole days where a source knows only days. */
function votingPeriodDays({ start, end }: Proposal): number | undefined {
  if (start === undefined || end === undefined) return undefined;
  if (start.precision === "second" && end.precision === "second") return (end.atMs - start.atMs) / DAY_MS;
  return (dayStartMs(end.atMs) - dayStartMs(start.atMs)) / DAY_MS;
}

function reviewDelayDays({ created, start }: Proposal): number | undefined {
  if (created?.precision !== "second" || start?.precision !== "second") return undefined;
  return (start.atMs - created.atMs) / DAY_MS;
}

/** The second in which half of the power was in: the weighted median of times, in columns since it is over every vote. */
function medianTimeS(votes: BallotVotes, shares: Float64Array): number | undefined {
  const places = placesByTime(votes);
  let total = 0;
  for (let at = 0; at < places.length; at += 1) total += shares[places[at] as number] as number;
  const half = halfOf(total);
  let reached = 0;
  for (let at = 0; at < places.length; at += 1) {
    const place = places[at] as number;
    reached += shares[place] as number;
    if (reached >= half) return votes.timesS[place];
  }
  return undefined;
}

/** Elapsed part of the vote when half of the final power was in, of the votes whose time is known. */
function halfPowerTime({ start, end }: Proposal, votes: BallotVotes): number | undefined {
  const { shares } = votes;
  if (shares === undefined || start?.precision !== "second" || end?.precision !== "second") return undefined;
  if (end.atMs <= start.atMs) return undefined;
  const halfInS = medianTimeS(votes, shares);
  if (halfInS === undefined) return undefined;
  return clamp((halfInS * 1000 - start.atMs) / (end.atMs - start.atMs));
}

function rationaleShare(proposal: Proposal, votes: BallotVotes): number | undefined {
  if (proposal.isShutter || votes.reasonsCount === undefined || votes.voters.length === 0) return undefined;
  return votes.reasonsCount / votes.voters.length;
}

/** What one proposal, with its ballot or without, tells about deliberation; nothing of it changes once it is closed. */
export function measureDeliberation(
  proposal: Proposal,
  votes: BallotVotes | undefined,
): DeliberationMeasures {
  return {
    hasDiscussionLink: isDiscussionLink(proposal.discussion),
    votingPeriodDays: votingPeriodDays(proposal),
    reviewDelayDays: reviewDelayDays(proposal),
    topChoiceShare: votes && topChoiceShare(proposal, votes),
    rationaleShare: votes && rationaleShare(proposal, votes),
    elapsedAtHalfPower: votes && halfPowerTime(proposal, votes),
  };
}
