import { z } from "zod";
import { askHub, type HubAccess, type HubQuery } from "./ask-hub.ts";
import { HUB_LIMITS } from "./hub-reading.ts";

const SIZES_QUERY: HubQuery = {
  name: "Spaces",
  field: "spaces",
  text: `query Spaces($where: SpaceWhere!, $first: Int!) {
  spaces(where: $where, first: $first) { id proposalsCount votesCount }
}`,
};

const Count = z.int().min(0).nullish().catch(null);
const SizedSpace = z.object({ id: z.string(), proposalsCount: Count, votesCount: Count });
type SizedSpace = z.infer<typeof SizedSpace>;

/** The spaces of the list that a hub has, with their sizes if it reports them; one request per hundred. */
export async function fetchSizes(
  hub: HubAccess,
  spaceIds: readonly string[],
): Promise<ReadonlyMap<string, SizedSpace>> {
  const sizes = new Map<string, SizedSpace>();
  for (let from = 0; from < spaceIds.length; from += HUB_LIMITS.idsMax) {
    const asked = spaceIds.slice(from, from + HUB_LIMITS.idsMax);
    const rows = await askHub(hub, SIZES_QUERY, { where: { id_in: asked }, first: asked.length });
    for (const row of z.array(z.unknown()).catch([]).parse(rows)) {
      const { data } = SizedSpace.safeParse(row);
      if (data !== undefined && asked.includes(data.id)) sizes.set(data.id, data);
    }
  }
  return sizes;
}

/**
 * An upper bound for the requests to fetch a space of which `heldVotes` votes are held: two consecutive
 * batches of ballots contain more than a page together.
 */
export function requestsOf(
  { proposalsCount, votesCount }: Pick<SizedSpace, "proposalsCount" | "votesCount">,
  heldVotes = 0,
): number {
  const { pageSizeMax, idsMax } = HUB_LIMITS;
  const proposals = proposalsCount ?? 0;
  const votes = Math.max(0, (votesCount ?? 0) - heldVotes);
  const listing = 1 + Math.floor(proposals / pageSizeMax);
  return 1 + listing + Math.ceil((2 * votes) / pageSizeMax) + Math.ceil(Math.min(proposals, votes) / idsMax);
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
