import { join } from "node:path";
import { checksum } from "ox/Address";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { VOTE_FLAGS } from "../../pipeline/facts/proposal-votes.ts";
import type { GovernorToken } from "../../pipeline/facts/tracked.ts";
import { createDelegateHistory } from "../../pipeline/score/delegates/delegate-history.ts";
import { createDelegatesSource } from "../../pipeline/sources/delegates-api/delegates-source.ts";
import { createHttpClient } from "../../pipeline/sources/http/http-client.ts";
import { type MemorySink, memorySink } from "../pipeline/sources/memory-sink.ts";
import { createApiHome } from "../pipeline/sources/snapshot-api/api-home.ts";
import { dao } from "../pipeline/warehouse/sample-facts.ts";
import { API_SERVER_LACKS, type ApiServer, startApiServer } from "../support/onchain-api/api-server.ts";
import {
  putProposals,
  putSpace,
  type SampleProposal,
  type SampleVote,
} from "../support/onchain-api/sample-rows.ts";
import { realArchive, WITHOUT_REAL_DATA } from "../support/real-archive.ts";
import { readArchive } from "./archive-facts.ts";
import { ARBITRUM_PACK, linesOf, packsDirectory, readArbitrum, readCsv, readPacked } from "./packs.ts";

const archive = realArchive();
const packs = packsDirectory([ARBITRUM_PACK, "dao-node"]);
const hasData = archive !== undefined && packs !== undefined;
const lack = hasData ? API_SERVER_LACKS && `without ${API_SERVER_LACKS}` : WITHOUT_REAL_DATA;

const AAVE = "aave-governance-v3";
const UNISWAP = "tests/data/2000-uniswap-PID83-only/1/0x408ed6354d4973f66138c91495f2f2fcbd8724c3";
const NOW_MS = Date.UTC(2026, 3, 28);
const DAY_S = 86_400;

const AaveProposal = z.object({
  id: z.string(),
  author: z.string(),
  title: z.string(),
  created: z.int(),
  start: z.int().nullish(),
  end: z.int().nullish(),
  ext: z.object({ aave_state: z.string() }),
});
const AaveVote = z.object({ proposal: z.string(), voter: z.string(), choice: z.int(), vp: z.number() });

/** The service keeps the last vote of a voter, and counts them all. */
const lastOfVoter = (votes: readonly SampleVote[]): SampleVote[] => [
  ...new Map(votes.map((vote) => [vote.voter, vote])).values(),
];

/** What was cast, by voter. */
type Cast = Readonly<Record<string, { choice: number; power: number; atS: number; isReasonGiven: boolean }>>;

const loaded = (votes: readonly SampleVote[]): Cast =>
  Object.fromEntries(
    votes.map(({ voter, choice, vp, created, reason = "" }) => [
      voter.toLowerCase(),
      { choice, power: Number(`${vp}e-18`), atS: created, isReasonGiven: reason !== "" },
    ]),
  );

function fetched({ voters, ballots }: MemorySink): ReadonlyMap<string, Cast> {
  const addressOf = new Map([...voters].map(([address, number]) => [number, address]));
  return new Map(
    ballots.map((ballot) => [
      ballot.proposalId,
      Object.fromEntries(
        Array.from(ballot.voterIds, (voterId, index) => {
          const choice = ballot.choices[ballot.choiceIndexes[index] ?? 0];
          return [
            addressOf.get(voterId) ?? "",
            {
              choice: choice?.kind === "single" ? choice.option : 0,
              power: ballot.powers[index] ?? Number.NaN,
              atS: ballot.timesS[index] ?? Number.NaN,
              isReasonGiven: ((ballot.flags[index] ?? 0) & VOTE_FLAGS.reasonGiven) !== 0,
            },
          ];
        }),
      ),
    ]),
  );
}

describe.skipIf(lack !== undefined)(
  `real data in the very server${lack === undefined ? "" : ` (${lack})`}`,
  () => {
    let server: ApiServer;
    beforeAll(async () => {
      server = await startApiServer();
    });
    afterAll(() => server?.close());
    beforeEach(async () => {
      await server.sql(
        `TRUNCATE spaces, spacemetadataitems, proposals, proposalmetadataitems, votes, votemetadataitems, governances,
       delegates, _metadatas`,
      );
      for (const indexer of ["eth", "arb1"]) await server.setLastBlock(indexer, 1_000);
      await putSpace(server);
    });

    async function readVotes(): Promise<MemorySink> {
      const home = createApiHome(server.url);
      try {
        return await home.read({ nowMs: NOW_MS });
      } finally {
        await home.close();
      }
    }

    it("gives all 477 proposals of Aave, and its 19,753 votes as they were cast", async () => {
      const votesOf = new Map<string, SampleVote[]>();
      const proposals = linesOf(join(archive ?? "", `proposals/${AAVE}.ndjson`), AaveProposal);
      const startOf = new Map(proposals.map(({ id, created, start }) => [id, start ?? created]));
      const lines = linesOf(join(archive ?? "", `votes/${AAVE}.ndjson`), AaveVote);
      for (const { proposal, voter, choice, vp } of lines) {
        // The source has blocks of other chains and no times.
        const created = startOf.get(proposal) ?? 0;
        const vote = { voter, choice, vp: BigInt(vp.toFixed(18).replace(".", "")), created };
        votesOf.set(proposal, [...(votesOf.get(proposal) ?? []), vote]);
      }
      const sample = proposals.map(({ id, author, title, created, start, end, ext }): SampleProposal => {
        const votes = votesOf.get(id) ?? [];
        const columns = {
          author,
          created,
          start: start ?? created,
          max_end: end ?? created + 30 * DAY_S,
          cancelled: ext.aave_state === "cancelled",
          vote_count: votes.length,
          scores_total: votes.reduce((sum, { vp }) => sum + vp, 0n).toString(),
        };
        return { id, title, votes: lastOfVoter(votes), columns };
      });
      await putProposals(server, sample);
      const sink = await readVotes();
      expect(lines).toHaveLength(19_753);
      expect(
        sink.proposals.map(({ proposalId, title, author }) => [proposalId, title, author]).sort(),
      ).toEqual(proposals.map(({ id, title, author }) => [id, title.trim(), author.toLowerCase()]).sort());
      const ended = new Set(
        sink.proposals.flatMap(({ proposalId, state }) => (state === "closed" ? proposalId : [])),
      );
      const want = sample.filter(({ id, votes }) => ended.has(id) && votes.length > 0);
      expect(ended.size).toBe(452);
      expect(fetched(sink)).toEqual(new Map(want.map(({ id, votes }) => [id, loaded(votes)])));
      // Two voters stand three times in the source.
      const message = "76 votes are listed, 80 counted; the power of the listed votes differs from the total";
      expect(sink.rejections).toMatchObject([{ file: "votes/6", code: "VOTES_INCOMPLETE", message }]);
    });

    it("gives the votes on Uniswap's 83rd proposal to the wei", async () => {
      const rows = readCsv(readPacked(packs ?? "", "dao-node", `${UNISWAP}/VoteCast(*).csv`));
      const endS = Date.UTC(2025, 2, 20) / 1000;
      const lastBlock = Math.max(...rows.map((row) => Number(row["block_number"])));
      const votes = rows.map((row): SampleVote => {
        const created = endS - 12 * (lastBlock - Number(row["block_number"]));
        // Of a governor 0 is against, 1 for and 2 abstains; of the service 1 is for, 2 against and 3 abstains.
        const choice = [2, 1, 3][Number(row["support"])] ?? 0;
        return {
          voter: row["voter"] ?? "",
          choice,
          vp: BigInt(row["votes"] ?? ""),
          created,
          reason: row["reason"] ?? "",
        };
      });
      const columns = { start: endS - 7 * DAY_S, created: endS - 9 * DAY_S, max_end: endS };
      await putProposals(server, [{ id: "83", votes, columns }]);
      const sink = await readVotes();
      expect(sink.rejections).toEqual([]);
      expect(fetched(sink)).toEqual(new Map([["83", loaded(votes)]]));
      expect(votes).toHaveLength(352);
    });

    interface TokenListing {
      readonly token: GovernorToken;
      readonly indexer: string;
      readonly delegates: readonly { readonly address: string; readonly votes: bigint }[];
    }

    const tokenOf = (chainId: number, token: string, kind: GovernorToken["kind"], decimals: number) => ({
      ...{ chainId, token, kind, decimals, clock: "blocknumber" as const },
      ...{ isSelfByDefault: kind === "erc721votes", firstBlock: 1, governor: undefined },
    });

    function arbitrumOn(date: string): TokenListing {
      const token = tokenOf(42_161, "0x912ce59144191c1204e64559fe8253a0e49e6548", "erc20votes", 18);
      return { token, indexer: "arb1", delegates: readArbitrum(packs ?? "", date).delegates };
    }

    async function nounsOfItsLogs(): Promise<TokenListing> {
      const history = createDelegateHistory(await readArchive(archive ?? "").factsOf("nouns.eth"));
      const delegates = history.tracedAt(0)?.ranking?.delegates ?? [];
      const token = tokenOf(1, "0x9c8ff314c9bc7f6e59a9d9225fb22946427edc03", "erc721votes", 0);
      return {
        token,
        indexer: "eth",
        delegates: delegates.map(({ address, votes }) => ({ address, votes })),
      };
    }

    it.each([
      { what: "Arbitrum on 2025-12-19", count: 12_016, read: async () => arbitrumOn("2025-12-19") },
      { what: "Arbitrum on 2026-03-20", count: 23_584, read: async () => arbitrumOn("2026-03-20") },
      { what: "Nouns, whose tokens are not divisible", count: 193, read: nounsOfItsLogs },
    ])("gives the $count delegates of $what, which add up to the last unit", async ({ count, read }) => {
      const { token, indexer, delegates } = await read();
      expect(delegates).toHaveLength(count);
      const id = checksum(token.token as `0x${string}`);
      const total = delegates.reduce((sum, { votes }) => sum + votes, 0n);
      const totals = { id, currentDelegates: count, delegatedVotesRaw: String(total) };
      await server.put("governances", indexer, [totals]);
      const rows = delegates.map(({ address, votes }) => ({
        id: `${id}/${address}`,
        governance: id,
        user: checksum(address as `0x${string}`),
        delegatedVotesRaw: String(votes),
        tokenHoldersRepresentedAmount: 1,
      }));
      await server.put("delegates", indexer, rows);
      const identity = { nowMs: () => 0, sleep: async () => {}, random: () => 0.5, version: "1.0.0" };
      const http = createHttpClient({ ...identity, settings: { requestsPerMinute: 1e9 } });
      const sink = memorySink();
      const source = createDelegatesSource({ http, url: server.url, nowMs: NOW_MS });
      await source.fetchSpace({ ...dao("token.onchain"), governor: token }, sink);
      await http.close();
      expect(sink.rejections).toEqual([]);
      expect(sink.lists).toHaveLength(1);
      const votesOf = (list: TokenListing["delegates"]) =>
        new Map(list.map(({ address, votes }) => [address, votes]));
      expect(votesOf(sink.lists[0]?.delegates ?? [])).toEqual(votesOf(delegates));
    });
  },
);
