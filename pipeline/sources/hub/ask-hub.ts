import { createGraphqlClient } from "../graphql/graphql-client.ts";
import type { GraphqlQuery } from "../graphql/read-answer.ts";
import type { HttpClient } from "../http/http-client.ts";

const PAGE_PARAMETERS = {
  first: "Int!",
  skip: "Int!",
  orderBy: "String!",
  orderDirection: "OrderDirection!",
} as const;

/** Proposals of one space or several, a page or by id. */
export const PROPOSALS_QUERY: GraphqlQuery = {
  name: "Proposals",
  field: "proposals",
  parameters: { where: "ProposalWhere!", ...PAGE_PARAMETERS },
  selection: `id space { id } title link author created updated start end type choices discussion quorum quorumType privacy
    strategies { name network params }
    state scores_state scores_total scores_updated votes flagged`,
};

export const VOTES_QUERY: GraphqlQuery = {
  name: "Votes",
  field: "votes",
  parameters: { where: "VoteWhere!", ...PAGE_PARAMETERS },
  selection: "id voter created choice vp vp_state reason proposal { id }",
};

/** The settings of a space that are read, by name, as they are requested. */
export const SPACE_SETTINGS: Readonly<Record<string, string>> = {
  name: "name",
  website: "website",
  discussions: "discussions",
  admins: "admins",
  moderators: "moderators",
  filters: "filters { onlyMembers minScore }",
  validation: "validation { name params }",
  voting: "voting { period quorum quorumType }",
  flagged: "flagged",
  hibernated: "hibernated",
  verified: "verified",
};

/** Several spaces, with the sizes that their estimates need. */
export const SPACES_QUERY: GraphqlQuery = {
  name: "Spaces",
  field: "spaces",
  parameters: { where: "SpaceWhere!", ...PAGE_PARAMETERS },
  selection: `id created proposalsCount votesCount ${Object.values(SPACE_SETTINGS).join(" ")}`,
};

/** The hub's messages if its SQL fails for lists, or for spaces. */
const DATABASE_FAILS: ReadonlySet<string> = new Set(["request failed", "Unexpected error"]);

export function openHub({
  http,
  url,
  apiKey,
}: {
  readonly http: HttpClient;
  readonly url: string;
  readonly apiKey?: string | undefined;
}) {
  return createGraphqlClient({
    http,
    url,
    headers: apiKey === undefined ? {} : { "x-api-key": apiKey },
    name: "the hub",
    isPassing: (message) => DATABASE_FAILS.has(message),
    keyHint: "Check the hub's API key. The hub also works without one, at a lower rate.",
  });
}
