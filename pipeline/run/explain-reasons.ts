import type { ProposalLine } from "../../snapshots/format/proposal-line.ts";
import { METHODOLOGY } from "../score/methodology.ts";
import type { GapReason } from "../score/score-or-gap.ts";

const { windowDays, horizonDays, attentionTarget, attentionFloor } = METHODOLOGY.frame;

/** Why a proposal is not looked at, or not in the frame; does not compile when one is missing. */
export const PLACE_SENTENCES: Readonly<Record<Exclude<ProposalLine["place"], "MEMBER">, string>> = {
  END_UNKNOWN: "the source does not say when the vote ended",
  NOT_ENDED: "the vote had not ended",
  STATE_OPEN: "the source says that it is still open",
  NOT_FINAL: "the source had not counted it to the end",
  CANCELLED: "cancelled by the governor",
  FLAGGED: "flagged as spam by the source",
  DELETED: "deleted at the source",
  TOO_OLD: `ended more than ${horizonDays} days before`,
  IGNORED: `cast power is less than ${100 * attentionFloor} % of what is usual there`,
  NO_VOTES: "nobody voted on it",
  BALLOT_MISSING: "has votes, but they were not fetched, or none can be read: lowers completeness",
  FRAME_FULL: `older than ${windowDays} days, and newer ones already weigh ${attentionTarget}`,
};

/** What data a gap asks for; does not compile when one is missing. */
export const NEEDS: Readonly<Record<GapReason, string>> = {
  NOT_FETCHED: "one complete fetch of the DAO: `govdata fetch SPACE`",
  NO_PROPOSALS: `a finished proposal of the last ${horizonDays} days with at least a quarter of the usual power`,
  BALLOTS_MISSING: "the votes of the proposals that ended: a fetch from a source that has them",
  NO_VOTERS: "votes that carry weight on at least one proposal of the frame",
  POWER_UNKNOWN: "the voting power of each vote; the source that was read has none (a hub has it as `vp`)",
  DELIBERATION_UNKNOWN:
    "on at least one proposal half (by weight) of: discussion link, voting times, choices and their powers, reasons",
  PROCESS_UNKNOWN: "half (by weight) of: quorum, dates of proposals, authors, the space's own rules",
  COMPONENT_GAP: "all four components",
  ACTIVE_VOTERS_UNKNOWN: "the votes on the proposals of the last 90 days",
};

/** Why something was not assessed, beside the reasons of gaps. */
export const UNASSESSED_SENTENCES: Readonly<Record<string, string>> = {
  NOT_KNOWN: "not known, so that the others share the weight",
  TOO_FEW_TIMED_VOTES: "fewer than three proposals, or most votes have no time: hpr is at most 5",
  NO_DATED_LIST: "no complete list of delegates with a date",
  LIST_TOO_OLD: `the newest complete list of delegates is older than ${METHODOLOGY.risk.delegationDays} days`,
};
