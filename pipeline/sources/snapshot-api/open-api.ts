import { z } from "zod";
import { sourceFailed } from "../../facts/errors.ts";
import { createGraphqlClient } from "../graphql/graphql-client.ts";
import { createPageReader } from "../graphql/page-reader.ts";
import type { GraphqlQuery } from "../graphql/read-answer.ts";
import type { HttpClient } from "../http/http-client.ts";

/** Our own limits; the service has none. */
export const API_LIMITS = {
  pageSize: 2_000,
  requestsPerMinute: 100,
  proposalsMax: 50_000,
  votesPerRunMax: 200_000_000,
  /** Rows of a fetch that the service has but cannot return, at two requests each. */
  withheldMax: 100,
  /** Blocks that the service may still take back; it keeps the states of at least a hundred. */
  unsettledBlocks: 64,
  /** If its last block falls back further than this, it indexes its chain anew. */
  rewindMax: 5_000,
} as const;

/** A contract may have the same address on several chains. */
const CHAINS_MAX = 30;

export const listOf = (name: string, field: string, filter: string, selection: string): GraphqlQuery => ({
  name,
  field,
  parameters: {
    where: `${filter}!`,
    indexer: "String!",
    block: "Int!",
    first: "Int!",
    skip: "Int!",
    orderBy: `${filter.replace("_filter", "_orderBy")}!`,
  },
  selection: `_indexer ${selection}`,
});

const INDEXERS_QUERY: GraphqlQuery = {
  name: "Indexers",
  field: "_metadatas",
  parameters: { where: "_Metadata_filter!" },
  selection: "indexer value",
};

export const SPACES_QUERY = listOf(
  "Spaces",
  "spaces",
  "Space_filter",
  "id protocol verified proposal_threshold max_voting_period metadata { name external_url }",
);

export const PROPOSALS_QUERY = listOf(
  "Proposals",
  "proposals",
  "Proposal_filter",
  `proposal_id space { id } author { id } link created start max_end type metadata { title discussion choices }
    scores_1 scores_2 scores_3 scores_total vp_decimals quorum quorum_type quorum_finalized vote_count
    cancelled vetoed execution_settled executed_at`,
);

export const VOTES_QUERY = listOf(
  "Votes",
  "votes",
  "Vote_filter",
  "space { id } proposal voter { id } choice vp created metadata { reason }",
);

/** Without an indexer and a block: the sizes of spaces of all chains, as of now. */
const SIZES_QUERY: GraphqlQuery = {
  name: "Sizes",
  field: "spaces",
  parameters: { where: "Space_filter!", first: "Int!" },
  selection: "_indexer id proposal_count vote_count",
};

const Sizes = z.array(
  z.object({
    _indexer: z.string(),
    id: z.string(),
    proposal_count: z.int().min(0),
    vote_count: z.int().min(0),
  }),
);

const LastBlocks = z.array(
  z.object({
    indexer: z.string(),
    value: z
      .string()
      .regex(/^\d{1,9}$/)
      .transform(Number),
  }),
);

/** What its database says when it cannot answer now. */
const DATABASE_AWAY =
  /connection terminated|connection ended|terminating connection|shutting down|starting up|recovery mode|too many clients|timeout|ECONNREFUSED|ECONNRESET/i;

/** The service as of one block of one indexer. */
export type ApiAtBlock = ReturnType<typeof openApi>;

export interface ApiAccess {
  readonly http: HttpClient;
  readonly url: string;
}

/** A service built with the same library: what messages call it, and the variable that holds its address. */
interface ApiService {
  readonly name: string;
  readonly variable: string;
}

const ONCHAIN_API: ApiService = { name: "the on-chain API", variable: "GOVDATA_ONCHAIN_URL" };

/**
 * Opens the service for one fetch. Only queries of one fetch share a request: within a request the service loads nested
 * objects as of the block and indexer of the first query that needs them.
 */
export function openApi(
  { http, url }: ApiAccess,
  indexer: string,
  pageSize: number = API_LIMITS.pageSize,
  { name, variable }: ApiService = ONCHAIN_API,
) {
  const client = createGraphqlClient({
    http,
    url,
    headers: {},
    name,
    isPassing: (message) => DATABASE_AWAY.test(message),
    keyHint: `Check ${variable}: ${name} needs no key.`,
  });
  const pages = createPageReader({ client, pageSize, withheld: { count: 0, max: API_LIMITS.withheldMax } });
  return {
    indexer,
    pageSize,
    queriesMax: client.queriesMax,
    /** Returns how many proposals and votes each of these spaces has now, on whatever chain. */
    async sizes(ids: readonly string[]): Promise<z.infer<typeof Sizes>> {
      const { value } = await client.ask(SIZES_QUERY, {
        where: { id_in: ids },
        first: CHAINS_MAX * ids.length,
      });
      const sizes = Sizes.safeParse(value).data;
      if (sizes === undefined) throw sourceFailed(`${name} does not say how large its spaces are`);
      return sizes;
    },
    /** Returns the last block of each indexer. */
    async lastBlocks(): Promise<ReadonlyMap<string, number>> {
      const { value } = await client.ask(INDEXERS_QUERY, { where: { id: "last_indexed_block" } });
      const blocks = LastBlocks.safeParse(value).data;
      if (blocks === undefined) throw sourceFailed(`${name} does not say up to which block it has indexed`);
      return new Map(blocks.map((one) => [one.indexer, one.value]));
    },
    /**
     * Reads `most` rows from `skip` on, or all that follow if there are fewer. As of one block a list does not change, and
     * ids are unique, so that rows can be skipped by number; the service has no comparison of ids.
     */
    async readRows(
      query: GraphqlQuery,
      where: object,
      { block, skip, most }: { readonly block: number; readonly skip: number; readonly most: number },
    ): Promise<readonly unknown[]> {
      const rows: unknown[] = [];
      while (rows.length < most) {
        const variables = { where, indexer, block, skip: skip + rows.length, orderBy: "id" };
        const page = await pages.fetchPage(query, variables, most - rows.length);
        for (const row of page.rows) rows.push(row);
        if (page.rows.length < page.pageSize) break;
      }
      return rows;
    },
  };
}
