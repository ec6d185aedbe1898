import type { DgiHistory, DgiPoint } from "../dao.ts";
import { dayOf } from "../ids.ts";
import { DGI_PERIOD_DAYS } from "../limits.ts";
import { PATHS } from "../paths.ts";
import type { DgiPeriod } from "../value-sets.ts";
import { checkDaos } from "./check-daos.ts";
import { checkEvidence } from "./check-evidence.ts";
import { checkGraphs } from "./check-graph.ts";
import { checkListing } from "./check-listing.ts";
import { allDifferent, type Disagreement, type DocumentSet, isAscending, unless } from "./disagreement.ts";

/** Entities: ids and wallets once each, and no DAO detail that names an entity which is not published. */
export function checkEntities(set: DocumentSet): readonly Disagreement[] {
  const labels = new Map(set.entities.map((entity) => [entity.entity_id, entity.label]));
  const owners = new Map<string, string>();
  const problems = [
    ...unless(labels.size === set.entities.length, "entities", "an entity_id is given twice"),
  ];
  for (const entity of set.entities) {
    const path = PATHS.entity(entity.entity_id);
    const spaces = entity.dao_participations.map((each) => each.space_id);
    problems.push(...unless(allDifferent(spaces), path, "takes part in a DAO twice"));
    for (const wallet of entity.wallets) {
      // The wallet itself stays out of the message: messages reach logs, and wallets must not.
      problems.push(...unless(!owners.has(wallet), path, "holds a wallet that was given before"));
      owners.set(wallet, entity.entity_id);
    }
  }
  for (const detail of set.details) {
    const path = PATHS.dao(detail.space_id);
    const ids = detail.top_entities.map((each) => each.entity_id);
    problems.push(...unless(allDifferent(ids), path, "top_entities names an entity twice"));
    problems.push(
      // An entity named here but published nowhere is most likely one that opted out.
      ...unless(
        detail.top_entities.every((each) => labels.get(each.entity_id) === each.label),
        path,
        "top_entities names an entity that is not published, or by another label",
      ),
    );
  }
  return problems;
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

function checkDgi(set: DocumentSet): readonly Disagreement[] {
  const { dgi, daos, asOf } = set;
  if (dgi === undefined) return [];
  return [
    ...unless(dgi.dao_count <= daos.length, PATHS.dgi, "dao_count exceeds the number of listed DAOs"),
    ...unless(dgi.calculated_at === asOf, PATHS.dgi, "calculated_at is not as_of"),
  ];
}

function checkDgiHistory(set: DocumentSet): readonly Disagreement[] {
  if (set.dgiHistory === undefined) return [];
  const { period, values } = set.dgiHistory;
  const dates = values.map((point) => point.date);
  const { first, last } = endedDays(set.asOf, DGI_PERIOD_DAYS["365d"]);
  return [
    ...unless(period === "365d", PATHS.dgiHistory, "is not the history of 365d"),
    ...unless(isAscending(dates), PATHS.dgiHistory, "dates do not rise, each once"),
    ...unless(
      dates.every((date) => date >= first && date <= last),
      PATHS.dgiHistory,
      "holds a day outside the 365 that had ended at as_of",
    ),
  ];
}

/** The DGI and the daily series: days once each, in order, none that had not ended at `as_of`. */
export function checkSeries(set: DocumentSet): readonly Disagreement[] {
  const { last } = endedDays(set.asOf, 1);
  return [
    ...checkDgi(set),
    ...checkDgiHistory(set),
    ...unless(allDifferent(set.histories.map((each) => each.space_id)), "history", "a DAO has two histories"),
    ...set.histories.flatMap(({ space_id, points }) => {
      const dates = points.map((point) => point.date);
      const path = PATHS.history(space_id);
      return [
        ...unless(isAscending(dates), path, "dates do not rise, each once"),
        ...unless(
          dates.every((date) => date <= last),
          path,
          "holds a day that had not ended at as_of",
        ),
      ];
    }),
  ];
}

/**
 * What the documents of one version say of each other and of themselves that cannot all be true: ids given twice,
 * ranks with holes, totals that are no sums, words that are not those of their numbers. It recomputes no score.
 */
export function checkDocuments(set: DocumentSet): readonly Disagreement[] {
  return [
    ...checkDaos(set),
    ...checkEntities(set),
    ...checkSeries(set),
    ...checkListings(set),
    ...checkGraphs(set),
    ...checkEvidence(set),
  ];
}

function checkListings(set: DocumentSet): Disagreement[] {
  const lastDay = set.asOf.slice(0, 10);
  return set.listings.flatMap((listing) => checkListing(listing, lastDay));
}
