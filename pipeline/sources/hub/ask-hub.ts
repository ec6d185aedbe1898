import { askGraphql, type GraphqlQuery, type GraphqlService } from "../graphql/ask-graphql.ts";
import type { HttpClient } from "../http/http-client.ts";

export interface HubQuery extends GraphqlQuery {
  readonly field: "space" | "spaces" | "proposals" | "votes";
}

/** Proposals of a space, a page or by id. */
export const PROPOSALS_QUERY: HubQuery = {
  name: "Proposals",
  field: "proposals",
  text: `query Proposals($where: ProposalWhere!, $first: Int!, $skip: Int!, $orderBy: String!, $orderDirection: OrderDirection!) {
  proposals(where: $where, first: $first, skip: $skip, orderBy: $orderBy, orderDirection: $orderDirection) {
    id space { id } title link author created updated start end type choices discussion quorum quorumType privacy
    strategies { name network params }
    state scores_state scores_total scores_updated votes flagged
  }
}`,
};

export const VOTES_QUERY: HubQuery = {
  name: "Votes",
  field: "votes",
  text: `query Votes($where: VoteWhere!, $first: Int!, $skip: Int!, $orderBy: String!, $orderDirection: OrderDirection!) {
  votes(where: $where, first: $first, skip: $skip, orderBy: $orderBy, orderDirection: $orderDirection) {
    id voter created choice vp vp_state reason
    proposal { id }
  }
}`,
};

/** URL and key of the hub, and the client to use. */
export interface HubAccess {
  readonly http: HttpClient;
  readonly url: string;
  readonly apiKey: string | undefined;
}

/** The hub's messages if its SQL fails for lists, or for spaces. */
const DATABASE_FAILS: ReadonlySet<string> = new Set(["request failed", "Unexpected error"]);

export function serviceOf({ http, url, apiKey }: HubAccess): GraphqlService {
  return {
    http,
    url,
    headers: apiKey === undefined ? {} : { "x-api-key": apiKey },
    name: "the hub",
    passingMessages: DATABASE_FAILS,
    keyHint: "Check the hub's API key. The hub also works without one, at a lower rate.",
  };
}

/** Sends one query and returns the value of its field; see `askGraphql`. */
export async function askHub(
  hub: HubAccess,
  query: HubQuery,
  variables: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  return (await askGraphql(serviceOf(hub), query, variables)).value;
}
