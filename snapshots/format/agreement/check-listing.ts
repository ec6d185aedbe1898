import type { DelegateListing } from "../delegates.ts";
import { LISTING_ROWS_PER_CUT } from "../limits.ts";
import { PATHS } from "../paths.ts";
import type { PublishedListing } from "../published-set.ts";
import { WEIGHT_TIERS } from "../value-sets.ts";
import { allDifferent, type Disagreement, isAscending, isNonIncreasing, unless } from "./disagreement.ts";

/** Three percentages of two decimals, each off by at most .005, may miss 100 by this much. */
const TIER_SUM_SLACK = 0.015 + 1e-9;

/** Shares of at most 400 rows, each rounded by at most .005. */
const SHARE_SUM_SLACK = 0.005 * LISTING_ROWS_PER_CUT * (WEIGHT_TIERS.length + 1);

function checkSums(path: string, listing: DelegateListing): readonly Disagreement[] {
  const { t1_voting_power_pct, t2_voting_power_pct, t3_voting_power_pct } = listing.summary;
  const tierSum = t1_voting_power_pct + t2_voting_power_pct + t3_voting_power_pct;
  const shareSum = listing.delegates.reduce((sum, row) => sum + row.votes_share_pct, 0);
  const isEmpty = listing.total_delegates === 0;
  return [
    ...unless(
      isEmpty ? tierSum === 0 : Math.abs(tierSum - 100) <= TIER_SUM_SLACK,
      path,
      "the power of the tiers does not add up to 100 %",
    ),
    ...unless(shareSum <= 100 + SHARE_SUM_SLACK, path, "the listed shares exceed 100 %"),
  ];
}

function checkRows(path: string, dao: string, listing: DelegateListing): readonly Disagreement[] {
  const { delegates: rows, total_delegates: total } = listing;
  const ranks = rows.map((row) => row.rank);
  const first = ranks.slice(0, LISTING_ROWS_PER_CUT);
  return [
    ...unless(listing.dao === dao, path, "is the listing of another DAO"),
    ...unless(isAscending(ranks), path, "ranks do not rise"),
    ...unless(
      first.length === Math.min(LISTING_ROWS_PER_CUT, total) &&
        first.every((rank, index) => rank === index + 1),
      path,
      "the first by rank are not all there",
    ),
    ...unless((ranks.at(-1) ?? 0) <= total, path, "a rank exceeds total_delegates"),
    ...unless(allDifferent(rows.map((row) => row.address)), path, "lists an address twice"),
    ...unless(
      isNonIncreasing(rows.map((row) => row.votes_human)) &&
        isNonIncreasing(rows.map((row) => row.votes_share_pct)),
      path,
      "more votes have the worse rank",
    ),
    ...unless(
      isNonIncreasing(rows.map((row) => -WEIGHT_TIERS.indexOf(row.weight_tier))),
      path,
      "a heavier tier has the worse rank",
    ),
  ];
}

/** The listings of one DAO: rows in rank order, percentages that add up, days in order and none of the future. */
export function checkListing(
  listing: Omit<PublishedListing, "all">,
  lastDay: string,
): readonly Disagreement[] {
  const { spaceId, latest, dated } = listing;
  const latestPath = PATHS.latestListing(spaceId);
  const dates = dated.map((each) => each.date);
  return [
    ...checkRows(latestPath, spaceId, latest),
    ...checkSums(latestPath, latest),
    ...unless(isAscending(dates), latestPath, "the dated listings are not in order of their days, each once"),
    ...dated.flatMap(({ date, listing: each }) => {
      const path = PATHS.datedListing(spaceId, date);
      return [
        ...unless(date <= lastDay, path, "is of a day after as_of"),
        ...checkRows(path, spaceId, each),
        ...checkSums(path, each),
      ];
    }),
  ];
}

/** The whole ranking against the listing cut from it. */
export function checkWholeListing(listing: PublishedListing): readonly Disagreement[] {
  const { spaceId, all, latest } = listing;
  const path = PATHS.wholeListing(spaceId);
  return [
    ...unless(all.length === latest.total_delegates, path, "does not hold total_delegates rows"),
    ...unless(
      all.every((item, index) => item.rank === index + 1),
      path,
      "ranks are not 1 to n, in order",
    ),
    ...unless(allDifferent(all.map((item) => item.address)), path, "lists an address twice"),
    ...unless(
      latest.delegates.every((item) => all[item.rank - 1]?.address === item.address),
      path,
      "a listed delegate has another rank in the whole ranking",
    ),
  ];
}
