import { DAY_MS } from "../../snapshots/base/days.ts";
import type { Concentration } from "../../snapshots/format/concentration.ts";
import type { UnscoredDao } from "../../snapshots/format/dao.ts";
import type { Evidence } from "../../snapshots/format/evidence.ts";
import { dayOf } from "../../snapshots/format/ids.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { spell } from "./spell.ts";

const { presenceDays, presenceFadeDays } = METHODOLOGY.interval;

type Present = Pick<Evidence, "as_of" | "presence"> & {
  readonly measures: Pick<Evidence["measures"], "fetched_at">;
};

/** The moment until which a DAO's votes are known; `undefined` if it was never fetched. A later fetch may have seen more. */
export function votesKnownUntil({
  as_of: asOf,
  measures: { fetched_at: fetchedAt },
}: Present): string | undefined {
  return fetchedAt === null || fetchedAt < asOf ? (fetchedAt ?? undefined) : asOf;
}

/**
 * Until when votes are known, `votes` naming whose, as a main clause without a full stop. Totals of later proposals may be
 * known, and then it has surely voted; so nothing is said of whether it has.
 */
export function unseenVotes(votes: string, evidence: Present): string {
  const until = votesKnownUntil(evidence);
  return until === undefined
    ? `${votes} are not known, so how much it votes is not fully known`
    : `${votes} are known until ${dayOf(Date.parse(until))}, so how much it has voted since is not fully known`;
}

/** Why presence is less than 1, as a main clause without a full stop; `undefined` if it is 1. */
export function absenceOf(evidence: Present): string | undefined {
  const { low, high } = evidence.presence;
  if (low === 1) return undefined;
  if (high === low) {
    return `Fewer than two proposals of usual power ended in the last ${presenceDays - presenceFadeDays} days`;
  }
  return unseenVotes("Its votes", evidence);
}

/** Why a DAO has no score, in one line: the message of the version, or only until when its votes are known. */
export function whyUnscored({
  reason,
  empty_frame: frame,
  assessed_at: assessedAt,
}: Pick<UnscoredDao, "reason" | "empty_frame" | "assessed_at">): string {
  const until = frame?.measures.fetched_at ?? undefined;
  const isOld = until !== undefined && Date.parse(assessedAt) - Date.parse(until) >= DAY_MS;
  return reason.code === "NO_PROPOSALS" && isOld
    ? `Votes are known until ${dayOf(Date.parse(until))} and not since.`
    : reason.message;
}

/** A figure, and its interval unless both ends are printed alike. */
function figureText(
  { low, point, high }: Concentration["nakamoto"],
  print: (value: number) => string,
): string {
  if (high === null) return `${print(point)}, at least ${print(low)}`;
  return print(low) === print(high)
    ? print(point)
    : `${print(point)}, between ${print(low)} and ${print(high)}`;
}

/** How concentrated cast power is, as names and values; none if no power is known. */
export function concentrationTexts(concentration: Concentration | null | undefined) {
  if (concentration === null || concentration === undefined) return [];
  const { nakamoto, hhi_points: hhi, gini } = concentration;
  return [
    { name: "Nakamoto number: voters with more than half", value: figureText(nakamoto, spell.count) },
    { name: "HHI of cast power, of 10,000", value: figureText(hhi, spell.count) },
    { name: "Gini of cast power, of 1", value: figureText(gini, spell.score) },
  ];
}
