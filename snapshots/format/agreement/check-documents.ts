import type { DgiHistory, DgiPoint } from "../dao.ts";
import { dayOf } from "../ids.ts";
import { DGI_PERIOD_DAYS } from "../limits.ts";
import { PATHS } from "../paths.ts";
import type { DgiPeriod } from "../value-sets.ts";
import { checkDaos } from "./check-daos.ts";
import { checkEvidence } from "./check-evidence.ts";
import { checkGraphs } from "./check-graph.ts";
import { checkListing } from "./check-listing.ts";
import {
  allDifferent,
  type Claim,
  type Disagreement,
  type DocumentSet,
  disagreementsAt,
  isAscending,
  unless,
} from "./disagreement.ts";

/**
 * What the documents of one version say of each other and of themselves that cannot all be true: ids given twice,
 * ranks with holes, totals that are no sums, words that are not those of their numbers. It recomputes no score.
 */
export function checkDocuments(set: DocumentSet): readonly Disagreement[] {
  const lastDay = set.asOf.slice(0, 10);
  return [
    ...checkDaos(set),
    ...checkEntities(set),
    ...checkSeries(set),
    ...set.listings.flatMap((listing) => checkListing(listing, lastDay)),
    ...checkGraphs(set),
    ...checkEvidence(set),
  ];
}

/** Entities: ids and wallets once each, and no DAO detail that names an entity which is not published. */
export function checkEntities({ entities, details }: DocumentSet): readonly Disagreement[] {
  const labels = new Map(entities.map((entity) => [entity.entity_id, entity.label]));
  const owned = new Set<string>();
  return [
    ...unless(labels.size === entities.length, "entities", "an entity_id is given twice"),
    ...entities.flatMap(({ entity_id: id, dao_participations: participations, wallets }) =>
      disagreementsAt(PATHS.entity(id), [
        [allDifferent(participations.map((each) => each.space_id)), "takes part in a DAO twice"],
        // The wallet itself stays out of the message: messages reach logs, and wallets must not.
        ...wallets.map((wallet): Claim => {
          const isNew = !owned.has(wallet);
          owned.add(wallet);
          return [isNew, "holds a wallet that was given before"];
        }),
      ]),
    ),
    ...details.flatMap(({ space_id: id, top_entities: named }) =>
      disagreementsAt(PATHS.dao(id), [
        [allDifferent(named.map((each) => each.entity_id)), "top_entities names an entity twice"],
        // An entity named here but published nowhere is most likely one that opted out.
        [
          named.every((each) => labels.get(each.entity_id) === each.label),
          "top_entities names an entity that is not published, or by another label",
        ],
      ]),
    ),
  ];
}

const DAY_MS = 86_400_000;

/** First and last calendar day of the `days` that end with the last day which has ended at `asOf`. */
export function endedDays(asOf: string, days: number): { readonly first: string; readonly last: string } {
  const lastEndMs = Math.floor((Date.parse(asOf) + 1) / DAY_MS) * DAY_MS - 1;
  return { first: dayOf(lastEndMs - (days - 1) * DAY_MS), last: dayOf(lastEndMs) };
}

/** The history of one period, cut from the points of the longest. */
export function dgiTail(points: readonly DgiPoint[], period: DgiPeriod, asOf: string): DgiHistory {
  const { first, last } = endedDays(asOf, DGI_PERIOD_DAYS[period]);
  return { period, values: points.filter(({ date }) => date >= first && date <= last) };
}

/** The DGI and the daily series: days once each, in order, none that had not ended at `as_of`. */
export function checkSeries({
  dgi,
  dgiHistory,
  daos,
  histories,
  asOf,
}: DocumentSet): readonly Disagreement[] {
  const { first, last } = endedDays(asOf, DGI_PERIOD_DAYS["365d"]);
  const dgiDates = dgiHistory?.values.map(({ date }) => date) ?? [];
  const isWithin = dgiDates.every((date) => date >= first && date <= last);
  return [
    ...disagreementsAt(PATHS.dgi, [
      [dgi === undefined || dgi.dao_count <= daos.length, "dao_count exceeds the number of listed DAOs"],
      [dgi === undefined || dgi.calculated_at === asOf, "calculated_at is not as_of"],
    ]),
    ...disagreementsAt(PATHS.dgiHistory, [
      [dgiHistory === undefined || dgiHistory.period === "365d", "is not the history of 365d"],
      [isAscending(dgiDates), "dates do not rise, each once"],
      [isWithin, "holds a day outside the 365 that had ended at as_of"],
    ]),
    ...unless(allDifferent(histories.map((each) => each.space_id)), "history", "a DAO has two histories"),
    ...histories.flatMap(({ space_id: id, points }) => {
      const dates = points.map((point) => point.date);
      return disagreementsAt(PATHS.history(id), [
        [isAscending(dates), "dates do not rise, each once"],
        [dates.every((date) => date <= last), "holds a day that had not ended at as_of"],
      ]);
    }),
  ];
}
