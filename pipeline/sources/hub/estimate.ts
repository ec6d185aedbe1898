import { HUB_LIMITS } from "./hub-reading.ts";

/** How many proposals and votes a hub says that a space has. */
export interface SpaceSize {
  readonly proposalsCount?: number | null | undefined;
  readonly votesCount?: number | null | undefined;
}

/**
 * An upper bound for the queries to fetch a space of which `heldVotes` votes are held: two consecutive
 * batches of ballots contain more than a page together.
 */
export function queriesOf({ proposalsCount, votesCount }: SpaceSize, heldVotes = 0): number {
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
export function minutesOf(
  requests: number,
  { requestsPerMinute, keyRemaining }: { readonly requestsPerMinute: number; readonly keyRemaining: number },
): number {
  const withKey = Math.min(requests, keyRemaining);
  const slowly = Math.min(requestsPerMinute, HUB_LIMITS.requestsPerMinute);
  return Math.ceil(withKey / requestsPerMinute + (requests - withKey) / slowly);
}
