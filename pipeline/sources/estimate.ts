import { type HeldSpace, votesOf } from "../facts/governance-source.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import { QUERIES_MAX } from "./graphql/graphql-client.ts";
import { HUB_LIMITS } from "./hub/ask-hub.ts";
import type { FeedSpace } from "./hub/change-feed.ts";
import { API_LIMITS, type ApiAccess, openApi, spelled } from "./snapshot-api/open-api.ts";

/**
 * An upper bound for the queries to fetch a space of which `heldVotes` votes are held: two consecutive
 * batches of ballots contain more than a page together.
 */
export function queriesOf({ proposalsCount, votesCount }: Omit<FeedSpace, "row">, heldVotes = 0): number {
  const { pageSizeMax, idsMax } = HUB_LIMITS;
  const proposals = proposalsCount ?? 0;
  const votes = Math.max(0, (votesCount ?? 0) - heldVotes);
  const listing = 1 + Math.floor(proposals / pageSizeMax);
  return listing + Math.ceil((2 * votes) / pageSizeMax) + Math.ceil(Math.min(proposals, votes) / idsMax);
}

/**
 * The requests that fetch spaces with so many queries each: those of one space follow each other, while several spaces
 * share requests.
 */
export function requestsOf(queries: readonly number[], queriesMax: number): number {
  const sum = queries.reduce((total, count) => total + count, 0);
  const longest = queries.reduce((most, count) => Math.max(most, count), 0);
  return Math.max(Math.ceil(sum / queriesMax), longest);
}

/** The minutes that so many requests take at a pace. What a key has no requests left for goes no faster than without one. */
export function minutesOf(requests: number, requestsPerMinute: number, keyRemaining = Infinity): number {
  const withKey = Math.min(requests, keyRemaining);
  const slowly = Math.min(requestsPerMinute, HUB_LIMITS.requestsPerMinute);
  return Math.ceil(withKey / requestsPerMinute + (requests - withKey) / slowly);
}

/**
 * Asks the on-chain API for the sizes of all these spaces at once. Returns the most requests that fetching them takes; a
 * space that the service does not have takes two, which say so.
 */
export async function estimateRequests(
  access: ApiAccess,
  daos: readonly TrackedDao[],
  heldOf: (spaceId: string) => HeldSpace | undefined,
  pageSize: number = API_LIMITS.pageSize,
): Promise<number> {
  const addresses = daos.map(({ onchain }) => spelled(onchain?.space ?? ""));
  const sizes = await openApi(access, "").sizes([...new Set(addresses)]);
  return daos.reduce((sum, { spaceId, onchain }, index) => {
    const size = sizes.find((one) => one.id === addresses[index] && one._indexer === onchain?.indexer);
    const votes = Math.max(0, (size?.vote_count ?? 0) - votesOf(heldOf(spaceId)));
    const listings = 1 + Math.floor((size?.proposal_count ?? 0) / pageSize);
    // One for the block. Two consecutive groups of ballots contain more than a page together, and the last page of each may
    // be empty; several pages share a request.
    return sum + 1 + listings + Math.ceil((3 * votes) / pageSize / QUERIES_MAX);
  }, 0);
}
