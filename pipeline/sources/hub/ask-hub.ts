import type { SpaceSink } from "../../facts/governance-source.ts";
import { createGraphqlClient } from "../graphql/graphql-client.ts";
import type { PageReader } from "../graphql/page-reader.ts";
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

/** An object as the hub sent it, for an archive (a vote's reason is reduced to whether it is empty). */
export interface HubObject {
  readonly kind: "space" | "proposal" | "vote";
  readonly spaceId: string;
  readonly object: unknown;
}

export interface HubReading {
  readonly pages: PageReader;
  /** Groups of ballots that may be fetched at the same time; they share requests. */
  readonly ballotsAtOnce: number;
  readonly spaceId: string;
  readonly sink: SpaceSink;
  /** The space's row of the feed, if it was read. */
  readonly spaceRow: unknown;
  readonly nowMs: number;
  readonly isFull: boolean;
  /** The votes that all DAOs of a run together may still store. */
  readonly budget: { votes: number };
  readonly record: (object: HubObject) => void;
}

/** The hub's limits (the first five), and our own. */
export const HUB_LIMITS = {
  /** Without a key, in fixed windows; with one, until its requests of the month are used up, there is no limit. */
  requestsPerMinute: 100,
  pageSizeMax: 1_000,
  skipMax: 5_000,
  idsMax: 100,
  /** The most that a list of spaces may skip. */
  spacesMax: 100_000,
  /** Several times the proposals of the hub's largest space. */
  proposalsMax: 200_000,
  /** The most that one ballot can hold. */
  votesMax: 2 ** 21,
  /** For all proposals of all spaces in one run, at 15 bytes each: several times those of the whole hub. */
  votesPerRunMax: 200_000_000,
  /** Rows that a run requests around, at two requests each. No real hub has more. */
  withheldMax: 300,
  /** Links and distinct strategies of all proposals of a space: ten times those of the largest. */
  textLengthMax: 32 * 1024 * 1024,
  /** If more proposals than this, and more than this share, are missing, it is a fault of the hub. */
  vanishedMax: 10,
  vanishedShareMax: 0.5,
} as const;

/** Proposals that ended within this time are always fetched again: their scores may still change. */
export const FRAME_DAYS = 730;

/** An incomplete ballot is fetched again until this long after its end; then a wrong count is permanent. */
export const RETRY_DAYS = 30;
