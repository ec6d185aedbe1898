import { type DelegateListing, monthOf } from "../delegates.ts";
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
  isEqual,
  isNonIncreasing,
} from "./disagreement.ts";

/** The sum of three percentages, each rounded by at most 0.005, may differ from 100 by this much. */
const TIER_SUM_SLACK = 0.015 + 1e-9;

/** Shares of at most 400 rows, each rounded by at most 0.005. */
const SHARE_SUM_SLACK = 0.005 * LISTING_ROWS_PER_CUT * (WEIGHT_TIERS.length + 1);

/** Checks the listings of one DAO: rows by rank, percentages that add up, ascending days, none in the future. */
export function checkListing(
  { spaceId, latest, dated, all }: PublishedListing,
  lastDay: string,
): readonly Disagreement[] {
  return [
    ...disagreementsAt(PATHS.latestListing(spaceId), [
      ...claimsOf(latest, spaceId),
      [
        isAscending(dated.map(({ date }) => date)),
        "the dated listings are not sorted by day without duplicates",
      ],
    ]),
    ...dated.flatMap(({ date, listing }) =>
      disagreementsAt(
        PATHS.delegateMonth(spaceId, monthOf(date)),
        [[date <= lastDay, "is dated after as_of"] as const, ...claimsOf(listing, spaceId)].map(
          ([holds, otherwise]): Claim => [holds, `the line of ${date} ${otherwise}`],
        ),
      ),
    ),
    ...disagreementsAt(PATHS.delegateDays(spaceId), [
      [
        dated.every(({ delegates, listing }) => delegates === listing.total_delegates),
        "counts other delegates than the listing of the day",
      ],
      [
        dated.every(({ source, block }) => (source === "logs") === (block !== null)),
        "has a block for a list, or none for logs",
      ],
    ]),
    ...disagreementsAt(PATHS.wholeListing(spaceId), [
      [all.length === latest.total_delegates, "does not contain total_delegates rows"],
      [all.every((item, index) => item.rank === index + 1), "ranks are not 1 to n, in order"],
      [allDifferent(all.map((item) => item.address)), "lists an address twice"],
      [
        latest.delegates.every((item) => isEqual(all[item.rank - 1], item)),
        "has another row than the listing at the same rank",
      ],
    ]),
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
    [isAscending(ranks), "ranks are not ascending"],
    [
      areFirst && first.length === Math.min(LISTING_ROWS_PER_CUT, total),
      "some of the first by rank are missing",
    ],
    [(ranks.at(-1) ?? 0) <= total, "a rank exceeds total_delegates"],
    [allDifferent(rows.map((row) => row.address)), "lists an address twice"],
    [isByVotes, "delegates are not ranked by votes"],
    [isByTier, "a heavier tier has a worse rank"],
    [isWhole, "the power of the tiers does not add up to 100 %"],
    [shareSum <= 100 + SHARE_SUM_SLACK, "the listed shares exceed 100 %"],
  ];
}
