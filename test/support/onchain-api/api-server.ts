import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { createRequire } from "node:module";
import { join } from "node:path";
import { POSTGRES, startPostgres } from "./postgres.ts";

/** The folder in which `@snapshot-labs/checkpoint` is installed, as `.ci/run` does it. */
const FOLDER = process.env["GOVDATA_TEST_CHECKPOINT"];

/** What the very server lacks here; `undefined` if it can be started. */
export const API_SERVER_LACKS =
  POSTGRES === undefined
    ? "PostgreSQL"
    : FOLDER === undefined || !existsSync(join(FOLDER, "node_modules/@snapshot-labs/checkpoint"))
      ? "@snapshot-labs/checkpoint (GOVDATA_TEST_CHECKPOINT)"
      : undefined;

/**
 * The entities that are read, as the on-chain API's schema and that of the delegates service declare them; the library adds
 * `_indexer` to each.
 */
const SCHEMA = `
scalar Id scalar Text scalar BigInt scalar BigIntVP scalar BigDecimalVP
type Space {
  id: String! protocol: String! verified: Boolean! proposal_threshold: BigDecimalVP! max_voting_period: BigInt!
  metadata: SpaceMetadataItem proposal_count: Int! vote_count: Int!
}
type SpaceMetadataItem { id: String! name: String! external_url: String! }
type Proposal {
  id: String! proposal_id: String! space: Space! author: User! link: String! metadata: ProposalMetadataItem
  created: Int! start: BigInt! max_end: BigInt! type: String! scores_1: BigDecimalVP! scores_2: BigDecimalVP!
  scores_3: BigDecimalVP! scores_total: BigDecimalVP! vp_decimals: Int! quorum: BigDecimalVP! quorum_type: String
  quorum_finalized: Boolean! vote_count: Int!
  cancelled: Boolean! vetoed: Boolean! execution_settled: Boolean! executed_at: BigInt
}
type ProposalMetadataItem { id: String! title: Text discussion: Text choices: [String!]! }
type Vote {
  id: String! voter: User! space: Space! proposal: String! choice: Int! vp: BigDecimalVP! created: Int!
  metadata: VoteMetadataItem
}
type VoteMetadataItem { id: String! reason: Text! }
type User { id: String! }
type Governance { id: String! currentDelegates: Int! delegatedVotesRaw: BigIntVP! }
type Delegate {
  id: String! governance: Governance user: String! delegatedVotesRaw: BigIntVP! tokenHoldersRepresentedAmount: Int!
}
`;

export type Row = Readonly<Record<string, unknown>>;
export type Table =
  | "spaces"
  | "spacemetadataitems"
  | "proposals"
  | "proposalmetadataitems"
  | "votes"
  | "votemetadataitems"
  | "governances"
  | "delegates";

/** The parts of the library and of its database client that are used. */
interface Checkpoint {
  readonly graphql: (request: IncomingMessage, response: ServerResponse) => Promise<void>;
  readonly knex: {
    (table: string): { insert(rows: readonly Row[]): Promise<unknown> };
    raw(sql: string, values?: readonly unknown[]): Promise<unknown>;
    destroy(): Promise<void>;
  };
  reset(): Promise<void>;
}

/** The service's library over a real database. */
export type ApiServer = Awaited<ReturnType<typeof startApiServer>>;

/** Starts one without data. */
export async function startApiServer() {
  const postgres = await startPostgres();
  const load = createRequire(join(FOLDER ?? "", "package.json"));
  const { default: Library } = load("@snapshot-labs/checkpoint") as {
    default: new (schema: string, options: object) => Checkpoint;
  };
  const overridesConfig = { decimal_types: { BigDecimalVP: { p: 60, d: 0 }, BigIntVP: { p: 80, d: 0 } } };
  const options = { dbConnection: postgres.url, logLevel: "fatal", overridesConfig };
  const checkpoint = new Library(SCHEMA, options);
  await checkpoint.reset();
  const { knex } = checkpoint;
  const handler = checkpoint.graphql;
  let requests = 0;
  let before: (count: number) => Promise<void> = async () => undefined;
  const server = createServer((request, response) => {
    requests += 1;
    void before(requests).then(
      () => handler(request, response),
      () => request.destroy(),
    );
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  const port = typeof address === "object" && address !== null ? address.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    postgres,
    /** Requests since the last look. */
    asked(): number {
      const count = requests;
      requests = 0;
      return count;
    },
    /** Called before each request is answered, with its number since the last look. */
    onRequest(hook: (count: number) => Promise<void>) {
      before = hook;
    },
    /** Stores rows as of a block on. */
    async put(table: Table, indexer: string, rows: readonly Row[], fromBlock = 1): Promise<void> {
      for (let index = 0; index < rows.length; index += 500) {
        const some = rows.slice(index, index + 500);
        await knex(table).insert(
          some.map((row) => ({ ...row, _indexer: indexer, block_range: `[${fromBlock},)` })),
        );
      }
    },
    async setLastBlock(indexer: string, block: number): Promise<void> {
      await knex.raw(
        `INSERT INTO _metadatas (id, indexer, value) VALUES ('last_indexed_block', ?, ?)
         ON CONFLICT (id, indexer) DO UPDATE SET value = excluded.value`,
        [indexer, String(block)],
      );
    },
    sql: (text: string, values: readonly unknown[] = []) => knex.raw(text, values),
    async close(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
      await knex.destroy();
      await postgres.remove();
    },
  };
}
