import { DGI_PERIOD_DAYS } from "../limits.ts";
import { PATHS } from "../paths.ts";
import { endedDays } from "./dgi-tail.ts";
import { allDifferent, type Disagreement, isAscending, unless } from "./disagreement.ts";
import type { DocumentSet } from "./document-set.ts";

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
