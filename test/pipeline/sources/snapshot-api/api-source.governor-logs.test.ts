import * as Address from "ox/Address";
import { keccak256 } from "ox/Hash";
import { fromString } from "ox/Hex";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { DaoFacts } from "../../../../pipeline/facts/dao-facts.ts";
import type { GovernanceSource } from "../../../../pipeline/facts/governance-source.ts";
import { VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import type { GovernorToken, TrackedDao } from "../../../../pipeline/facts/tracked.ts";
import { createGovernorSource } from "../../../../pipeline/sources/governor/governor-source.ts";
import { createRpc } from "../../../../pipeline/sources/governor/rpc.ts";
import { createSnapshotApiSource } from "../../../../pipeline/sources/snapshot-api/api-source.ts";
import type { Warehouse } from "../../../../pipeline/warehouse/warehouse.ts";
import {
  type Account,
  FINALIZED_BEHIND,
  GENESIS_S,
  startChain,
  type TestChain,
} from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import {
  API_SERVER_LACKS,
  type ApiServer,
  type Row,
  startApiServer,
} from "../../../support/onchain-api/api-server.ts";
import {
  INDEXER,
  putProposals,
  putSpace,
  type SampleProposal,
  type SampleVote,
} from "../../../support/onchain-api/sample-rows.ts";
import { scoreSample } from "../../score/sample-facts.ts";
import { NO_ENTITIES } from "../../warehouse/sample-facts.ts";
import { createWarehouseHome } from "../../warehouse/warehouse-home.ts";
import { governedToken } from "../governor/governed-stage.ts";
import { hastyClient } from "../http/loopback-server.ts";

const TOKEN = 10n ** 18n;
const PROPOSE = "propose(address[],uint256[],bytes[],string) returns (uint256)";
const VOTE = "castVoteWithReason(uint256,uint8,string) returns (uint256)";
const NOW_MS = (GENESIS_S + 3 * 86_400) * 1000;

/** Votes of one proposal, as (account, support, power in tokens, reason). */
type Ballots = readonly (readonly [account: number, support: number, tokens: bigint, reason?: string])[];

/** What each proposal's votes are, with what its contract counts for a quorum of 9 (Bravo) or 4 (OpenZeppelin). */
const BALLOTS: readonly Ballots[] = [
  [
    [0, 1, 10n, "yes"],
    [1, 0, 5n, "no"],
    [2, 2, 3n],
  ],
  // Votes against would reach any quorum of all power cast.
  [
    [0, 0, 10n, "never"],
    [1, 1, 5n],
    [2, 1, 3n],
  ],
  [
    [0, 2, 10n],
    [1, 0, 5n],
    [2, 1, 3n, "since"],
  ],
  [
    [1, 1, 5n],
    [3, 1, 0n, "of no power"],
  ],
  [],
];

const title = `the very server${API_SERVER_LACKS === undefined ? "" : `, which lacks ${API_SERVER_LACKS}`}`;

describe.runIf(API_SERVER_LACKS === undefined)(title, () => {
  describeOnChain("beside a real chain", () => {
    let chain: TestChain;
    let server: ApiServer;
    let home: ReturnType<typeof createWarehouseHome>;
    let warehouse: Warehouse;
    const http = hastyClient();
    beforeAll(async () => {
      [chain, server] = await Promise.all([startChain(), startApiServer()]);
      home = createWarehouseHome();
      warehouse = home.open();
    });
    afterAll(async () => {
      home?.remove();
      await Promise.all([chain?.close(), server?.close(), http.close()]);
    });

    const accountOf = (index: number) => chain.accounts[index] as Account;
    const timeOf = async (block: bigint | number): Promise<number> => {
      const header = await chain.rpc("eth_getBlockByNumber", [`0x${block.toString(16)}`, false]);
      return Number((header as { timestamp: string }).timestamp);
    };
    const uint = (to: Account, signature: string, args: readonly unknown[]) =>
      chain.read(to, `${signature} view returns (uint256)`, args) as Promise<bigint>;

    /** A proposal as the service stores it, of the blocks and votes of the chain. */
    const stored = async (
      id: bigint,
      title: string,
      blocks: { readonly created: number; readonly start: bigint; readonly end: bigint },
      votes: readonly SampleVote[],
      columns: Row,
    ): Promise<SampleProposal> => ({
      id: id.toString(),
      title,
      votes,
      columns: {
        author: Address.checksum(accountOf(0)),
        created: await timeOf(blocks.created),
        start: await timeOf(blocks.start),
        max_end: await timeOf(blocks.end),
        ...columns,
      },
    });
    /** Casts votes, and returns them as the service stores them. */
    const cast = async (
      ballots: Ballots,
      send: (voter: Account, support: number, power: bigint, reason: string) => Promise<void>,
    ): Promise<SampleVote[]> => {
      const votes: SampleVote[] = [];
      for (const [account, support, tokens, reason = ""] of ballots) {
        await send(accountOf(account), support, tokens * TOKEN, reason);
        votes.push({
          voter: Address.checksum(accountOf(account)),
          choice: [2, 1, 3][support] ?? 0,
          vp: tokens * TOKEN,
          created: await timeOf(await chain.head()),
          reason,
        });
      }
      return votes;
    };

    /** Deploys a governor in the style of Bravo, and votes. */
    const playBravo = async () => {
      const token = await chain.deploy("PriorToken");
      const firstBlock = await chain.head();
      const governor = await chain.deploy("BravoEmitter");
      const written = [];
      for (const [index, ballots] of BALLOTS.entries()) {
        const id = BigInt(index + 1);
        const start = BigInt(await chain.head()) + 2n;
        const end = start + 8n;
        const title = `Bravo ${id}`;
        const propose = "propose(uint256,uint256,uint256,string)";
        await chain.send(accountOf(0), governor, propose, [id, start, end, title]);
        const created = await chain.head();
        await chain.mine(1);
        const votes = await cast(ballots, (voter, support, power, reason) =>
          chain.send(voter, governor, "vote(uint256,uint8,uint256,string)", [id, support, power, reason]),
        );
        await chain.mine(10);
        written.push(await stored(id, title, { created, start, end }, votes, { quorum: String(9n * TOKEN) }));
      }
      return {
        governor: governedToken(token, firstBlock, { governor }),
        protocol: "governor-bravo",
        written,
      };
    };

    /** Deploys a governor of OpenZeppelin with a token, votes, and cancels one more proposal. */
    const playOpenZeppelin = async () => {
      const token = await chain.deploy("BlockToken");
      const firstBlock = await chain.head();
      const governor = await chain.deploy("FractionalGovernor", [token]);
      for (const [account, amount] of [10n, 5n, 3n].entries()) {
        const holder = accountOf(account);
        await chain.send(holder, token, "mint(address,uint256)", [holder, amount * TOKEN]);
        await chain.send(holder, token, "delegate(address)", [holder]);
      }
      const written = [];
      for (const [index, ballots] of [...BALLOTS, undefined].entries()) {
        const title = `Zeppelin ${index}`;
        const action = [[token], [0n], ["0x06fdde03"]];
        const id = (await chain.read(governor, PROPOSE, [...action, title])) as bigint;
        await chain.send(accountOf(0), governor, PROPOSE, [...action, title]);
        const created = await chain.head();
        const start = await uint(governor, "proposalSnapshot(uint256)", [id]);
        const end = await uint(governor, "proposalDeadline(uint256)", [id]);
        if (ballots === undefined) {
          const cancel = "cancel(address[],uint256[],bytes[],bytes32) returns (uint256)";
          await chain.send(accountOf(0), governor, cancel, [...action, keccak256(fromString(title))]);
        }
        await chain.mine(2);
        const withPower = (ballots ?? []).filter(([, , tokens]) => tokens > 0n);
        const votes = await cast(withPower, (voter, support, _, reason) =>
          chain.send(voter, governor, VOTE, [id, support, reason]),
        );
        await chain.mine(66);
        const columns = {
          quorum: String(4n * TOKEN),
          quorum_type: null,
          quorum_finalized: votes.length > 0,
          cancelled: ballots === undefined,
        };
        written.push(await stored(id, title, { created, start, end }, votes, columns));
      }
      return {
        governor: governedToken(token, firstBlock, { governor }),
        protocol: "@openzeppelin/governor",
        written,
      };
    };

    const fetchFrom = async (source: GovernanceSource, dao: TrackedDao): Promise<DaoFacts> => {
      const { spaceId } = dao;
      const fetch = warehouse.beginSpaceFetch({ spaceId, sourceId: source.sourceId, fetchedAtMs: NOW_MS });
      await source.fetchSpace(dao, fetch);
      expect(fetch.commit()).toMatchObject({ status: "complete", rejected: {} });
      return warehouse.daoFacts(dao, NO_ENTITIES);
    };

    /** A DAO's facts without those that only one source has. */
    const common = (facts: DaoFacts): DaoFacts => ({
      ...facts,
      dao: { ...facts.dao, spaceId: "same" },
      space: undefined,
      proposals: facts.proposals.map((proposal) => ({
        ...proposal,
        link: undefined,
        revision: undefined,
        // The service reads a quorum of OpenZeppelin with the first vote.
        ...(proposal.votesCount === 0 ? { quorum: undefined, quorumPower: undefined } : {}),
      })),
      delegationEvents: [],
      confirmations: [],
    });
    /** Ballots in words, by voter. */
    const votesOf = ({ ballots }: DaoFacts) =>
      [...ballots].map(([id, { voterIds, powers, timesS, choices, choiceIndexes, flags }]) => [
        id,
        Array.from(voterIds, (voter, index) => ({
          voter,
          power: powers[index],
          timeS: timesS[index],
          choice: choices[choiceIndexes[index] ?? -1],
          isReasonGiven: ((flags[index] ?? 0) & VOTE_FLAGS.reasonGiven) !== 0,
        })).sort((a, b) => a.voter - b.voter),
      ]);

    it.each([
      ["Bravo, where votes for count", playBravo, [10, 8, 3, 5, undefined]],
      ["OpenZeppelin, where abstentions count too", playOpenZeppelin, [13, 8, 13, 5, undefined, undefined]],
    ] as const)("gives the same facts and scores: %s", async (name, play, counted) => {
      const { governor, protocol, written } = await play();
      await chain.mine(FINALIZED_BEHIND + 1);
      const space = Address.checksum(governor.governor ?? "");
      await server.setLastBlock(INDEXER, (await chain.head()) + 100);
      await putSpace(server, INDEXER, space, { protocol });
      await putProposals(server, written, { space });
      const daoOf = (
        rest: Partial<TrackedDao> & { readonly governor: GovernorToken | undefined },
      ): TrackedDao => ({
        spaceId: `${protocol}.${rest.onchain === undefined ? "logs" : "api"}`,
        name,
        category: "defi",
        ...rest,
      });
      const byLogs = await fetchFrom(
        createGovernorSource({ rpcOf: () => createRpc({ http, url: chain.url }) }),
        daoOf({ governor }),
      );
      const byApi = await fetchFrom(
        createSnapshotApiSource({ http, url: server.url, nowMs: NOW_MS, isFull: false }),
        daoOf({ governor: undefined, onchain: { indexer: INDEXER, space } }),
      );
      expect(common(byApi)).toEqual({
        ...common(byLogs),
        dao: expect.anything(),
        ballots: expect.anything(),
      });
      expect(votesOf(byApi)).toEqual(votesOf(byLogs));
      expect(common(byApi).proposals.map(({ quorumPower }) => quorumPower)).toEqual(counted);
      expect(scoreSample(common(byApi), NOW_MS)).toEqual(scoreSample(common(byLogs), NOW_MS));
    });
  });
});
