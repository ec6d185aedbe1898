import { DAY_MS } from "../../base/days.ts";
import type { DgiPoint, ServedDgiHistory } from "../dao.ts";
import { dayOf } from "../ids.ts";
import { DGI_PERIOD_DAYS, GVS_HISTORY_DAYS } from "../limits.ts";
import { PATHS } from "../paths.ts";
import type { VersionLists } from "../published-set.ts";
import type { DgiPeriod } from "../value-sets.ts";
import { checkDao, checkDaoLists, checkRankings, listedById } from "./check-daos.ts";
import { checkEmptyFrame, checkEvidence, checkExplained, checkProposalLines } from "./check-evidence.ts";
import { checkGraphs } from "./check-graph.ts";
import { checkListing } from "./check-listing.ts";
import {
  allDifferent,
  type Claim,
  type Disagreement,
  type DocumentPart,
  disagreementsAt,
  isAscending,
  type PartContext,
  unless,
} from "./disagreement.ts";

/** The part of one DAO's documents that the lists of its version must agree with. */
export type PartDigest = ReturnType<typeof digestOf>;

export function digestOf({ spaceId, details, evidence }: DocumentPart) {
  const topEntities = details[0]?.top_entities ?? [];
  return { spaceId, hasDetail: details.length > 0, hasEvidence: evidence.length > 0, topEntities };
}

/** Checks each list of a version, also against the documents of all its DAOs. */
export function checkLists(lists: VersionLists, parts: readonly PartDigest[]): readonly Disagreement[] {
  const detailed = new Set(parts.flatMap(({ spaceId, hasDetail }) => (hasDetail ? [spaceId] : [])));
  const explained = parts.flatMap(({ spaceId, hasEvidence }) => (hasEvidence ? [spaceId] : []));
  return [
    ...checkDaoLists(lists, detailed),
    ...checkRankings(lists),
    ...checkEntities(lists, parts),
    ...checkIndex(lists),
    ...checkExplained(lists, explained),
  ];
}

/** Checks each document of one DAO, also against the others and the lists; recomputes no score. */
export function checkPart(part: DocumentPart): readonly Disagreement[] {
  const lastDay = part.asOf.slice(0, 10);
  return [
    ...checkDao(part),
    ...checkHistory(part),
    ...checkLastDays(part),
    ...part.listings.flatMap((listing) => checkListing(listing, lastDay)),
    ...checkGraphs(part),
    ...checkEvidence(part),
    ...part.evidence.flatMap(checkProposalLines),
    ...part.emptyFrames.flatMap(checkEmptyFrame),
  ];
}

export function contextsOf({
  asOf,
  methodologyVersion,
  daos,
  unscored: all,
}: Pick<VersionLists, "asOf" | "methodologyVersion" | "daos" | "unscored">): (
  spaceId: string,
) => PartContext {
  const listed = listedById(daos);
  const unscored = new Map(all.map((dao) => [dao.space_id, dao]));
  return (spaceId) => ({
    asOf,
    methodologyVersion,
    spaceId,
    listed: listed.get(spaceId),
    unscored: unscored.get(spaceId),
  });
}

function checkEntities({ entities }: VersionLists, parts: readonly PartDigest[]): readonly Disagreement[] {
  const labels = new Map(entities.map((entity) => [entity.entity_id, entity.label]));
  const owned = new Set<string>();
  return [
    ...unless(labels.size === entities.length, "entities", "an entity_id occurs twice"),
    ...entities.flatMap(({ entity_id: id, dao_participations: participations, wallets }) =>
      disagreementsAt(PATHS.entity(id), [
        [
          allDifferent(participations.map((participation) => participation.space_id)),
          "takes part in a DAO twice",
        ],
        // The message does not contain the wallet, because messages reach logs.
        ...wallets.map((wallet): Claim => {
          const isNew = !owned.has(wallet);
          owned.add(wallet);
          return [isNew, "has a wallet that occurs before"];
        }),
      ]),
    ),
    ...parts.flatMap(({ spaceId: id, topEntities: named }) =>
      disagreementsAt(PATHS.dao(id), [
        [allDifferent(named.map((entity) => entity.entity_id)), "top_entities names an entity twice"],
        // An entity that is named here but not published has most likely opted out.
        [
          named.every((entity) => labels.get(entity.entity_id) === entity.label),
          "top_entities names an entity that is not published, or by another label",
        ],
      ]),
    ),
  ];
}

/** First and last of the `days` calendar days up to the last one that has ended at `asOf`. */
function endedDays(asOf: string, days: number): { readonly first: string; readonly last: string } {
  const lastEndMs = Math.floor((Date.parse(asOf) + 1) / DAY_MS) * DAY_MS - 1;
  return { first: dayOf(lastEndMs - (days - 1) * DAY_MS), last: dayOf(lastEndMs) };
}

export function dgiTail(points: readonly DgiPoint[], period: DgiPeriod, asOf: string): ServedDgiHistory {
  const { first, last } = endedDays(asOf, DGI_PERIOD_DAYS[period]);
  const within = points.filter(({ date }) => date >= first && date <= last);
  return { period, values: within.map(({ interval: _, ...point }) => point) };
}

function checkIndex({ dgi, dgiHistory, daos, asOf }: VersionLists): readonly Disagreement[] {
  const { first, last } = endedDays(asOf, DGI_PERIOD_DAYS["365d"]);
  const dgiDates = dgiHistory?.values.map(({ date }) => date) ?? [];
  const isWithin = dgiDates.every((date) => date >= first && date <= last);
  return [
    ...disagreementsAt(PATHS.dgi, [
      [dgi === undefined || dgi.dao_count <= daos.length, "dao_count exceeds the number of listed DAOs"],
      [dgi === undefined || dgi.calculated_at === asOf, "calculated_at is not as_of"],
    ]),
    ...disagreementsAt(PATHS.dgiHistory, [
      [dgiHistory === undefined || dgiHistory.period === "365d", "is not the history of 365 days"],
      [isAscending(dgiDates), "dates are not ascending without duplicates"],
      [isWithin, "contains a day outside the 365 that had ended at as_of"],
    ]),
  ];
}

function checkHistory({ spaceId, histories, asOf }: DocumentPart): readonly Disagreement[] {
  const { last } = endedDays(asOf, 1);
  return histories.flatMap(({ points }) => {
    const dates = points.map((point) => point.date);
    return disagreementsAt(PATHS.history(spaceId), [
      [isAscending(dates), "dates are not ascending without duplicates"],
      [dates.every((date) => date <= last), "contains a day that had not ended at as_of"],
    ]);
  });
}

function checkLastDays({ spaceId, details, asOf }: DocumentPart): readonly Disagreement[] {
  const { first, last } = endedDays(asOf, GVS_HISTORY_DAYS);
  return details.flatMap(({ history, gvs_30d_dates: dates }) =>
    disagreementsAt(PATHS.dao(spaceId), [
      [dates.length === history.gvs_30d.length, "gvs_30d_dates does not date each value of gvs_30d"],
      [
        isAscending(dates) && dates.every((date) => date >= first && date <= last),
        "gvs_30d_dates are not ascending days among the 30 that had ended at as_of",
      ],
    ]),
  );
}
