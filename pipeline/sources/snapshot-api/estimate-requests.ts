import { type HeldSpace, votesOf } from "../../facts/governance-source.ts";
import type { TrackedDao } from "../../facts/tracked.ts";
import { QUERIES_MAX } from "../graphql/graphql-client.ts";
import { API_LIMITS, type ApiAccess, openApi } from "./open-api.ts";
import { spelled } from "./read-space.ts";

/**
 * An upper bound for the requests to fetch a space of which some votes are held: one for the block, one for each page of
 * proposals, and the pages of votes, several of which share a request. Two consecutive groups of ballots contain more than a
 * page together, and the last page of each may be empty.
 */
export function requestsOf(
  { proposalsCount, votesCount }: { readonly proposalsCount: number; readonly votesCount: number },
  heldVotes: number,
  pageSize: number = API_LIMITS.pageSize,
): number {
  const votes = Math.max(0, votesCount - heldVotes);
  const listings = 1 + Math.floor(proposalsCount / pageSize);
  return 1 + listings + Math.ceil((3 * votes) / pageSize / QUERIES_MAX);
}

/**
 * Asks for the sizes of all these spaces at once. Returns the most requests that fetching them takes; a space that the
 * service does not have takes two, which say so.
 */
export async function estimateRequests(
  access: ApiAccess,
  daos: readonly TrackedDao[],
  heldOf: (spaceId: string) => HeldSpace | undefined,
  pageSize?: number,
): Promise<number> {
  const addresses = daos.map(({ onchain }) => spelled(onchain?.space ?? ""));
  const sizes = await openApi(access, "").sizes([...new Set(addresses)]);
  return daos.reduce((sum, { spaceId, onchain }, index) => {
    const size = sizes.find((one) => one.id === addresses[index] && one._indexer === onchain?.indexer);
    const counts = { proposalsCount: size?.proposal_count ?? 0, votesCount: size?.vote_count ?? 0 };
    return sum + requestsOf(counts, votesOf(heldOf(spaceId)), pageSize);
  }, 0);
}
