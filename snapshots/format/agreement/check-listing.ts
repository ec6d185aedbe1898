import { monthOf } from "../delegate-months.ts";
import type { DelegateListing } from "../delegates.ts";
import { LISTING_ROWS_PER_CUT } from "../limits.ts";
import { PATHS } from "../paths.ts";
import type { PublishedListing } from "../published-set.ts";
import { WEIGHT_TIERS } from "../value-sets.ts";
import {
  allDifferent,
  type Claim,
  type Disagreement,
  disagreementsAt,
  isAscending,
  isNonIncreasing,
} from "./disagreement.ts";

/** Three percentages of two decimals, each off by at most .005, may miss 100 by this much. */
const TIER_SUM_SLACK = 0.015 + 1e-9;

/** Shares of at most 400 rows, each rounded by at most .005. */
const SHARE_SUM_SLACK = 0.005 * LISTING_ROWS_PER_CUT * (WEIGHT_TIERS.length + 1);

/** The listings of one DAO: rows in rank order, percentages that add up, days in order and none of the future. */
export function checkListing(
  { spaceId, latest, dated }: Omit<PublishedListing, "all">,
  lastDay: string,
): readonly Disagreement[] {
  const dates = dated.map((each) => each.date);
  return [
    ...disagreementsAt(PATHS.latestListing(spaceId), [
      ...claimsOf(latest, spaceId),
      [isAscending(dates), "the dated listings are not in order of their days, each once"],
    ]),
    ...dated.flatMap(({ date, listing }) =>
      disagreementsAt(
        PATHS.delegateMonth(spaceId, monthOf(date)),
        [[date <= lastDay, "is of a day after as_of"] as const, ...claimsOf(listing, spaceId)].map(
          ([holds, otherwise]): Claim => [holds, `the line of ${date} ${otherwise}`],
        ),
      ),
    ),
  ];
}

function claimsOf(listing: DelegateListing, dao: string): readonly Claim[] {
  const { delegates: rows, total_delegates: total, summary } = listing;
  const ranks = rows.map((row) => row.rank);
  const first = ranks.slice(0, LISTING_ROWS_PER_CUT);
  const areFirst = first.every((rank, index) => rank === index + 1);
  const tierSum = summary.t1_voting_power_pct + summary.t2_voting_power_pct + summary.t3_voting_power_pct;
  const isWhole = total === 0 ? tierSum === 0 : Math.abs(tierSum - 100) <= TIER_SUM_SLACK;
  const shares = rows.map((row) => row.votes_share_pct);
  const shareSum = shares.reduce((sum, share) => sum + share, 0);
  const isByVotes = isNonIncreasing(rows.map((row) => row.votes_human)) && isNonIncreasing(shares);
  const isByTier = isNonIncreasing(rows.map((row) => -WEIGHT_TIERS.indexOf(row.weight_tier)));
  return [
    [listing.dao === dao, "is the listing of another DAO"],
    [isAscending(ranks), "ranks do not rise"],
    [
      areFirst && first.length === Math.min(LISTING_ROWS_PER_CUT, total),
      "the first by rank are not all there",
    ],
    [(ranks.at(-1) ?? 0) <= total, "a rank exceeds total_delegates"],
    [allDifferent(rows.map((row) => row.address)), "lists an address twice"],
    [isByVotes, "more votes have the worse rank"],
    [isByTier, "a heavier tier has the worse rank"],
    [isWhole, "the power of the tiers does not add up to 100 %"],
    [shareSum <= 100 + SHARE_SUM_SLACK, "the listed shares exceed 100 %"],
  ];
}

/** The whole ranking against the listing cut from it. */
export function checkWholeListing({ spaceId, all, latest }: PublishedListing): readonly Disagreement[] {
  const isSameRank = latest.delegates.every((item) => all[item.rank - 1]?.address === item.address);
  return disagreementsAt(PATHS.wholeListing(spaceId), [
    [all.length === latest.total_delegates, "does not hold total_delegates rows"],
    [all.every((item, index) => item.rank === index + 1), "ranks are not 1 to n, in order"],
    [allDifferent(all.map((item) => item.address)), "lists an address twice"],
    [isSameRank, "a listed delegate has another rank in the whole ranking"],
  ]);
}
