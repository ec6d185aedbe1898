import type { DelegateListing } from "../../snapshots/format/delegates.ts";
import { PATHS } from "../../snapshots/format/paths.ts";
import type { PublishedListing, PublishedSet } from "../../snapshots/format/published-set.ts";
import { CATEGORIES } from "../../snapshots/format/value-sets.ts";
import type { GateFinding } from "./gate-finding.ts";

/** Three percentages, each rounded by at most .005, can miss 100 by this much; the rest is room for their sum as doubles. */
const TIER_SUM_SLACK_PCT = 0.015 + 1e-9;

function unless(holds: boolean, spaceId: string | undefined, message: string): readonly GateFinding[] {
  if (holds) return [];
  const place = spaceId === undefined ? {} : { spaceId };
  return [{ code: "PARTS_DISAGREE", severity: "refuse", message, ...place }];
}

const isRising = (values: readonly number[]): boolean =>
  values.every((value, index) => index === 0 || value > (values[index - 1] ?? Number.NaN));

const neverRises = (values: readonly number[]): boolean =>
  values.every((value, index) => index === 0 || value <= (values[index - 1] ?? Number.NaN));

function checkRanks({ daos, details }: PublishedSet): readonly GateFinding[] {
  const listed = new Map(daos.map((dao) => [dao.space_id, dao]));
  return [
    ...unless(
      daos.every((dao, index) => dao.rank === index + 1),
      undefined,
      `${PATHS.daos}: ranks are not 1 to n, in order`,
    ),
    ...unless(
      neverRises(daos.map((dao) => dao.gvs)),
      undefined,
      `${PATHS.daos}: a lower gvs has the better rank`,
    ),
    ...unless(listed.size === daos.length, undefined, `${PATHS.daos}: a DAO is listed twice`),
    ...unless(
      details.length === daos.length && new Set(details.map((each) => each.space_id)).size === daos.length,
      undefined,
      `${PATHS.daos}: not every listed DAO has one detail`,
    ),
    ...details.flatMap(({ space_id, rankings }) =>
      unless(
        rankings.overall.rank === listed.get(space_id)?.rank && rankings.overall.total === daos.length,
        space_id,
        `${PATHS.dao(space_id)}: rankings.overall is not its place in the list`,
      ),
    ),
  ];
}

function checkCategories({ daos, details }: PublishedSet): readonly GateFinding[] {
  const rankOf = new Map(daos.map((dao) => [dao.space_id, dao.rank]));
  return CATEGORIES.flatMap((category) => {
    const members = details
      .filter((detail) => detail.category === category)
      .sort((a, b) => (rankOf.get(a.space_id) ?? 0) - (rankOf.get(b.space_id) ?? 0));
    return members.flatMap(({ space_id, rankings }, index) =>
      unless(
        rankings.category.category === category &&
          rankings.category.rank === index + 1 &&
          rankings.category.total === members.length,
        space_id,
        `${PATHS.dao(space_id)}: rankings.category is not its place in ${category}`,
      ),
    );
  });
}

function checkRows(path: string, spaceId: string, listing: DelegateListing): readonly GateFinding[] {
  const { delegates: rows, total_delegates: total, summary } = listing;
  const tierSumPct = summary.t1_voting_power_pct + summary.t2_voting_power_pct + summary.t3_voting_power_pct;
  const isWhole = total === 0 ? tierSumPct === 0 : Math.abs(tierSumPct - 100) <= TIER_SUM_SLACK_PCT;
  return [
    ...unless(listing.dao === spaceId, spaceId, `${path}: is the listing of another DAO`),
    ...unless(isWhole, spaceId, `${path}: the power of the tiers does not add up to 100 %`),
    ...unless(isRising(rows.map((row) => row.rank)), spaceId, `${path}: rows are not in the order of ranks`),
    ...unless((rows.at(-1)?.rank ?? 0) <= total, spaceId, `${path}: a rank exceeds total_delegates`),
    ...unless(
      neverRises(rows.map((row) => row.votes_share_pct)) && neverRises(rows.map((row) => row.votes_human)),
      spaceId,
      `${path}: more votes have the worse rank`,
    ),
  ];
}

function checkListing({ spaceId, latest, dated, all }: PublishedListing): readonly GateFinding[] {
  const isWhole = all.length === latest.total_delegates && all.every((row, index) => row.rank === index + 1);
  return [
    ...checkRows(PATHS.latestListing(spaceId), spaceId, latest),
    ...dated.flatMap(({ date, listing }) => checkRows(PATHS.datedListing(spaceId, date), spaceId, listing)),
    ...unless(isWhole, spaceId, `${PATHS.wholeListing(spaceId)}: ranks are not 1 to total_delegates`),
  ];
}

function checkBelonging({ daos, risks, unscored, dgi }: PublishedSet): readonly GateFinding[] {
  const listed = new Set(daos.map((dao) => dao.space_id));
  return [
    ...risks.flatMap(({ space_id }) =>
      unless(listed.has(space_id), space_id, `${PATHS.risk(space_id)}: assesses a DAO that is not listed`),
    ),
    ...unscored.flatMap(({ space_id }) =>
      unless(!listed.has(space_id), space_id, `${PATHS.unscored}: ${space_id} is listed with a score, too`),
    ),
    ...unless(
      (dgi?.dao_count ?? 0) <= daos.length,
      undefined,
      `${PATHS.dgi}: has more members than DAOs are listed`,
    ),
  ];
}

/** Parts add up to their totals: ranks, totals per category, tiers, rows of a listing. */
export function checkSums(set: PublishedSet): readonly GateFinding[] {
  return [
    ...checkRanks(set),
    ...checkCategories(set),
    ...checkBelonging(set),
    ...set.listings.flatMap(checkListing),
  ];
}
