import * as Address from "ox/Address";
import { z } from "zod";
import { sourceFailed } from "../../facts/errors.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import { createGraphqlClient } from "../graphql/graphql-client.ts";
import { createPageReader } from "../graphql/page-reader.ts";
import type { GraphqlQuery } from "../graphql/read-answer.ts";
import type { HttpClient } from "../http/http-client.ts";
import { isRowFailure, parseShape } from "../upstream/row-error.ts";
import { ApiSpace, PROTOCOLS } from "./api-rows.ts";

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

/** A query for rows of an entity; the service names all that belongs to it in the same way. */
export const listOf = (entity: string, selection: string): GraphqlQuery => ({
  name: `${entity}s`,
  field: `${entity.toLowerCase()}s`,
  parameters: {
    where: `${entity}_filter!`,
    indexer: "String!",
    block: "Int!",
    first: "Int!",
    skip: "Int!",
    orderBy: `${entity}_orderBy!`,
  },
  selection: `_indexer ${selection}`,
});

const INDEXERS_QUERY: GraphqlQuery = {
  name: "Indexers",
  field: "_metadatas",
  parameters: { where: "_Metadata_filter!" },
  selection: "indexer value",
};

const SPACES_QUERY = listOf(
  "Space",
  "id protocol verified proposal_threshold max_voting_period metadata { name external_url }",
);

export const PROPOSALS_QUERY = listOf(
  "Proposal",
  `proposal_id space { id } author { id } link created start max_end type metadata { title discussion choices }
    scores_1 scores_2 scores_3 scores_total vp_decimals quorum quorum_type quorum_finalized vote_count
    cancelled vetoed execution_settled executed_at`,
);

export const VOTES_QUERY = listOf(
  "Vote",
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

/**
 * Returns a block up to which the service's facts are settled. Throws `SOURCE_FAILED` if it has no such indexer, or if it
 * indexes anew what was read before up to block `readTo`.
 */
export async function settledBlock(api: ApiAtBlock, readTo: number | undefined): Promise<number> {
  const { indexer } = api;
  const blocks = await api.lastBlocks();
  const last = blocks.get(indexer);
  if (last === undefined) {
    const known = [...blocks.keys()].map((one) => upstreamText(one) ?? "").sort();
    throw sourceFailed(`the on-chain API has no indexer ${indexer}`, {
      hint: `Correct \`onchain\` in the registry. It has: ${known.join(", ")}.`,
      data: { isMissing: true },
    });
  }
  const block = Math.max(0, last - API_LIMITS.unsettledBlocks);
  if (readTo !== undefined && block < readTo - API_LIMITS.rewindMax) {
    throw sourceFailed(
      `the on-chain API has indexed ${indexer} up to block ${last}, but was read up to block ${readTo} before`,
      { hint: "It indexes the chain anew. Data fetched earlier is kept; run again when it has caught up." },
    );
  }
  return block;
}

/** An address as the service spells it. */
export const spelled = (address: string): string =>
  Address.validate(address) ? Address.checksum(address) : address;

/** Reads a space. Throws `SOURCE_FAILED` if there is none at this address, or if its protocol is not one of ours. */
export async function readSpace(api: ApiAtBlock, id: string, block: number): Promise<ApiSpace> {
  const { indexer } = api;
  const [row] = await api.readRows(SPACES_QUERY, { id }, { block, skip: 0, most: 1 });
  if (row === undefined) {
    throw sourceFailed(`the on-chain API has no space ${id} of the indexer ${indexer}`, {
      hint: "Check the address and the indexer of `onchain` in the registry.",
      data: { isMissing: true },
    });
  }
  try {
    const space = parseShape(ApiSpace, row);
    if (space.id !== id || space._indexer !== indexer)
      throw sourceFailed("the on-chain API returned another space");
    if (!PROTOCOLS.some((known) => known === space.protocol)) {
      const protocol = upstreamText(space.protocol) ?? "unknown";
      throw sourceFailed(`the space ${id} of the indexer ${indexer} is of the protocol ${protocol}`, {
        hint: `Only spaces of ${PROTOCOLS.join(", ")} can be read.`,
        data: { isMissing: true },
      });
    }
    return space;
  } catch (error) {
    if (!isRowFailure(error)) throw error;
    throw sourceFailed(`the on-chain API's space ${id} is invalid: ${error.message}`);
  }
}
