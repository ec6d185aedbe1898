import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { API_SERVER_LACKS, type ApiServer, startApiServer } from "../../../support/onchain-api/api-server.ts";
import {
  ENDED_S,
  INDEXER,
  putProposals,
  putSpace,
  SPACE,
  voterOf,
  votesOf,
} from "../../../support/onchain-api/sample-rows.ts";
import { createApiHome } from "./api-home.ts";

const TABLES = "spaces, spacemetadataitems, proposals, proposalmetadataitems, votes, votemetadataitems";
const OTHER = "0x408ED6354d4973f66138C91495F2f2FCbd8724C3";

const title = `the very server${API_SERVER_LACKS === undefined ? "" : `, which lacks ${API_SERVER_LACKS}`}`;

describe.runIf(API_SERVER_LACKS === undefined)(title, () => {
  let server: ApiServer;
  let home: ReturnType<typeof createApiHome>;
  beforeAll(async () => {
    server = await startApiServer();
  });
  afterAll(() => server?.close());
  beforeEach(async () => {
    await server.sql(`TRUNCATE ${TABLES}, _metadatas`);
    await server.setLastBlock(INDEXER, 1_000);
    await server.setLastBlock("arb1", 2_000);
    await putSpace(server);
    server.onRequest(async () => undefined);
    server.asked();
    home = createApiHome(server.url);
  });
  afterEach(() => home.close());

  it("reads 500 proposals and 20,000 votes in few requests, and fewer the night after", async () => {
    const proposals = Array.from({ length: 500 }, (_, n) => ({ id: String(n), votes: votesOf(40, n) }));
    await putProposals(server, proposals);
    expect(await home.fetch()).toMatchObject({ status: "complete", proposals: 500, votes: 20_000 });
    expect(server.asked()).toBeLessThanOrEqual(30);
    expect(await home.fetch()).toMatchObject({ status: "complete", proposals: 500, votes: 20_000 });
    expect(server.asked()).toBeLessThanOrEqual(3);
    expect(home.facts().ballots.size).toBe(500);
  });

  it.each([
    [0, 0, "nothing to read"],
    [3, 10, "one group"],
    [4, 49, "a full page less one"],
    [7, 40, "a page for each ballot"],
    [2, 50, "a last page that is empty"],
    [1, 420, "one large ballot"],
    [51, 1, "two pages of proposals"],
  ])(
    "takes at most the requests that were estimated: %i proposals of %i votes",
    async (count, votes, _why) => {
      const proposals = Array.from({ length: count }, (_, n) => ({ id: String(n), votes: votesOf(votes) }));
      await putProposals(server, proposals);
      const sizes = `proposal_count = ${count}, vote_count = ${count * votes}`;
      await server.sql(`UPDATE spaces SET ${sizes}`);
      const estimated = await home.estimate(50);
      expect(server.asked(), "all sizes at once").toBe(1);
      expect(await home.fetch()).toMatchObject({ status: "complete", votes: count * votes });
      const asked = server.asked();
      expect(asked).toBeLessThanOrEqual(estimated);
      expect(asked).toBeGreaterThan(estimated / 3);
      expect(await home.estimate(50), "the block and the proposals").toBe(count > 50 ? 3 : 2);
    },
  );

  it("reads every vote as it was loaded, over several pages, of the longest addresses too", async () => {
    const starknet = { ...votesOf(1)[0], voter: `0x${"0".repeat(20)}${"ab".repeat(22)}` };
    const votes = [...votesOf(120), { ...starknet, choice: 2, vp: 10n ** 40n, created: ENDED_S }];
    await putProposals(server, [{ id: "1".repeat(77), title: "Title", votes }]);
    const sink = await home.read({ pageSize: 50 });
    const addressOf = new Map([...sink.voters].map(([address, number]) => [number, address]));
    const [ballot] = sink.ballots;
    const read = Array.from(ballot?.voterIds ?? [], (voterId, index) => [
      addressOf.get(voterId),
      ballot?.choices[ballot.choiceIndexes[index] ?? 0],
      ballot?.powers[index],
      ballot?.timesS[index],
    ]);
    const byVoter = (one: readonly unknown[], other: readonly unknown[]) =>
      String(one[0]) < String(other[0]) ? -1 : 1;
    expect(read.sort(byVoter)).toEqual(
      votes
        .map(({ voter, choice, vp, created }) => [
          voter,
          { kind: "single", option: choice },
          Number(`${vp}e-18`),
          created,
        ])
        .sort(byVoter),
    );
    expect(sink.rejections).toEqual([]);
    expect(sink.spaces).toMatchObject([{ name: "Compound", isProposingGated: true, hasFixedPeriod: true }]);
    const facts = { title: "Title", author: voterOf(7), votesCount: 121, quorum: 400_000, state: "closed" };
    expect(sink.proposals).toMatchObject([facts]);
  });

  it.each([
    ["cancelled", { cancelled: true }, "cancelled", 0, "nobody decided it"],
    ["vetoed", { vetoed: true }, "cancelled", 0, "its guardian stopped it"],
    ["active", { max_end: ENDED_S + 30 * 86_400 }, "active", 0, "votes may still come"],
    ["ended", {}, "closed", 1, "its votes are final"],
  ])("reads votes of a proposal that is %s: %#", async (_, columns, state, ballots, _why) => {
    await putProposals(server, [{ id: "1", votes: votesOf(3), columns }]);
    const sink = await home.read();
    expect(sink.proposals).toMatchObject([{ state }]);
    expect(sink.ballots).toHaveLength(ballots);
  });

  const BRAVO = "governor-bravo";
  const OPEN_ZEPPELIN = "@openzeppelin/governor";
  const SX = "snapshot-x";
  it.each([
    [BRAVO, {}, [100, 50], "its votes for count"],
    [BRAVO, { quorum_type: null }, [undefined, undefined], "unknown: Bravo always has a type"],
    [OPEN_ZEPPELIN, { quorum_type: null, quorum_finalized: true }, [100, 70], "abstentions count too"],
    [OPEN_ZEPPELIN, { quorum_finalized: true }, [100, 50], "its contract counts as Bravo does"],
    [OPEN_ZEPPELIN, { quorum_type: null }, [undefined, undefined], "unknown: read before its start"],
    [OPEN_ZEPPELIN, { quorum_type: "all", quorum_finalized: true }, [undefined, undefined], "unknown type"],
    [SX, { quorum_type: null }, [100, 70], "abstentions count too"],
    [SX, { quorum_type: null, quorum: "0" }, [undefined, undefined], "unknown: no strategy is known"],
    [SX, { quorum_type: null, scores_3: "19" }, [undefined, undefined], "unknown: a vote is still encrypted"],
    [BRAVO, { quorum: "0" }, [0, 50], "low: it requires nothing"],
  ])(
    "counts for a quorum of %s what its contract counts: %j, %j, %s",
    async (protocol, columns, want, _why) => {
      await server.sql("UPDATE spaces SET protocol = ?", [protocol]);
      const votes = [50n, 30n, 20n].map((vp, index) => ({
        voter: voterOf(index + 1),
        choice: index + 1,
        vp,
        created: ENDED_S,
      }));
      await putProposals(server, [
        { id: "1", votes, columns: { vp_decimals: 0, quorum: "100", ...columns } },
      ]);
      const [proposal] = (await home.read()).proposals;
      expect([proposal?.quorum, proposal?.quorumPower]).toEqual(want);
      expect(proposal).toMatchObject({ scoresTotal: 100, isQuorumRejection: false });
    },
  );

  it("widens an estimated window, because a contract accepts no vote outside of it", async () => {
    const late = { voter: voterOf(1), choice: 1, vp: 1n, created: ENDED_S + 500 };
    await putProposals(server, [{ id: "1", votes: [late] }]);
    expect(await home.fetch()).toMatchObject({ status: "complete", votes: 1 });
    await home.fetch();
    expect(home.facts().proposals).toMatchObject([{ end: { atMs: (ENDED_S + 500) * 1000 } }]);
  });

  it("widens no window for a vote at a time that cannot be", async () => {
    await putProposals(server, [{ id: "1", votes: votesOf(20) }]);
    const [before] = (await home.read()).proposals;
    await server.sql("UPDATE votes SET created = 1 WHERE voter = ?", [voterOf(3)]);
    const sink = await home.read();
    expect(sink.rejections).toMatchObject([{ file: "votes/1", code: "TIME_IMPOSSIBLE" }]);
    expect(sink.proposals).toMatchObject([{ start: before?.start, end: before?.end }]);
    expect(sink.ballots[0]?.count).toBe(19);
    await home.fetch();
    await server.sql("UPDATE votes SET created = ?", [ENDED_S]);
    expect(await home.fetch(), "a refused vote is asked for again").toMatchObject({ votes: 20 });
  });

  it.each([
    [10, "complete", "a tenth"],
    [11, "failed", "more than a tenth"],
  ])("judges by their share %i malformed votes of a hundred: %s", async (malformed, status, _why) => {
    await putProposals(server, [{ id: "1", votes: votesOf(100) }]);
    const voters = Array.from({ length: malformed }, (_, n) => voterOf(n + 1));
    await server.sql(`UPDATE votes SET vp = -1 WHERE voter IN (${voters.map(() => "?").join(", ")})`, voters);
    expect(await home.fetch()).toMatchObject({ status, rejected: { BAD_SHAPE: malformed } });
  });

  it.each([
    [{ vote_count: 4 }, "3 votes are listed, 4 counted", "a voter voted twice"],
    [{ scores_total: "1" }, "the power of the listed votes differs from the total", "the total is wrong"],
  ])("reports what does not add up: %s", async (columns, message, _why) => {
    await putProposals(server, [{ id: "1", votes: votesOf(3), columns }]);
    const sink = await home.read();
    expect(sink.rejections).toMatchObject([{ file: "votes/1", code: "VOTES_INCOMPLETE", message }]);
    expect(sink.ballots[0]?.count).toBe(3);
  });

  it.each([
    [{ indexer: "etc", space: SPACE }, "the on-chain API has no indexer etc"],
    [{ indexer: "arb1", space: SPACE }, `the on-chain API has no space ${SPACE} of the indexer arb1`],
    [{ indexer: "eth", space: voterOf(3) }, `the on-chain API has no space ${voterOf(3)} of the indexer eth`],
    [{ indexer: "eth", space: OTHER }, `the space ${OTHER} of the indexer eth is of the protocol aave`],
  ])("says what is wrong with %s", async (onchain, message) => {
    await putSpace(server, INDEXER, OTHER, { protocol: "aave" });
    const spelled = { ...onchain, space: onchain.space.toLowerCase() };
    expect(await home.fetch({ onchain: spelled })).toMatchObject({
      status: "failed",
      error: { code: "SOURCE_FAILED", message },
    });
  });

  it("reads as of one block: what is indexed meanwhile comes with the next fetch", async () => {
    await putProposals(server, [{ id: "1", votes: votesOf(120) }]);
    server.onRequest(async (count) => {
      if (count === 3) await putProposals(server, [{ id: "2", votes: votesOf(60) }], { fromBlock: 990 });
    });
    expect(await home.fetch({ pageSize: 50 })).toMatchObject({ status: "complete", votes: 120 });
    server.onRequest(async () => undefined);
    await server.setLastBlock(INDEXER, 1_100);
    expect(await home.fetch({ pageSize: 50 })).toMatchObject({ status: "complete", votes: 180 });
    expect(home.facts().ballots.size).toBe(2);
  });

  it("reads a ballot anew that changed after an interrupted fetch", async () => {
    await putProposals(server, [{ id: "1", votes: votesOf(120) }]);
    server.asked();
    server.onRequest(async (count) => {
      if (count > 3) throw new Error("killed");
    });
    expect(await home.fetch({ pageSize: 10 })).toMatchObject({ status: "failed" });
    server.onRequest(async () => undefined);
    await server.sql("UPDATE proposals SET scores_total = scores_total + 1");
    await server.sql("UPDATE votes SET choice = 2");
    expect(await home.fetch({ pageSize: 10 })).toMatchObject({ status: "complete", votes: 120 });
    expect(home.facts().ballots.get("1")?.choices).toEqual([{ kind: "single", option: 2 }]);
  });

  it("keeps no votes of the space that the registry named before", async () => {
    await putProposals(server, [{ id: "1", votes: votesOf(3) }]);
    await home.fetch();
    await putSpace(server, INDEXER, OTHER);
    const votes = votesOf(3).map((vote, index) => ({ ...vote, voter: voterOf(index + 50) }));
    await putProposals(server, [{ id: "1", votes }], { space: OTHER });
    await home.fetch({ onchain: { indexer: INDEXER, space: OTHER } });
    expect([...(home.facts().ballots.get("1")?.voterIds ?? [])]).toEqual([4, 5, 6]);
  });

  it("reads an ended ballot again if the service counts otherwise than before", async () => {
    await putProposals(server, [{ id: "1", votes: votesOf(3) }]);
    expect(await home.fetch()).toMatchObject({ rejected: {} });
    await server.sql("UPDATE proposals SET vote_count = 4");
    expect(await home.fetch()).toMatchObject({ rejected: { VOTES_INCOMPLETE: 1 } });
  });

  it("keeps what it has while the service indexes anew or has lost votes", async () => {
    await putProposals(server, [{ id: "1", votes: votesOf(5) }]);
    await server.setLastBlock(INDEXER, 100_000);
    await home.fetch();
    await server.setLastBlock(INDEXER, 70);
    expect(await home.fetch()).toMatchObject({
      status: "failed",
      error: {
        message: "the on-chain API has indexed eth up to block 70, but was read up to block 99936 before",
      },
    });
    await server.setLastBlock(INDEXER, 100_000);
    await server.sql("UPDATE proposals SET vote_count = 4");
    expect(await home.fetch()).toMatchObject({
      error: { message: "the on-chain API no longer has all votes of 1 of 1 held proposals" },
    });
    await server.sql("TRUNCATE proposals");
    expect(await home.fetch()).toMatchObject({
      error: { message: "the on-chain API no longer has all votes of 1 of 1 held proposals" },
    });
    expect(home.facts().ballots.get("1")?.count).toBe(5);
  });

  it("loses and doubles nothing over ten kills, nor while the database is away", async () => {
    await putProposals(server, [
      { id: "1", votes: votesOf(500) },
      { id: "2", votes: votesOf(130) },
    ]);
    for (let kill = 1; kill <= 10; kill += 1) {
      server.asked();
      server.onRequest(async (count) => {
        if (count > 2) throw new Error("killed");
      });
      const interrupted = home.fetch({ pageSize: 50 });
      expect(await interrupted).toMatchObject({ status: "failed" });
      home.reopen();
    }
    server.onRequest(async () => undefined);
    await server.postgres.kill();
    expect(await home.fetch({ pageSize: 50 })).toMatchObject({ status: "failed" });
    await server.postgres.restart();
    // The service's own pool still has broken connections.
    await expect
      .poll(() =>
        server.sql("SELECT 1").then(
          () => true,
          () => false,
        ),
      )
      .toBe(true);
    expect(await home.fetch({ pageSize: 50 })).toMatchObject({ status: "complete", votes: 630 });
    expect(home.facts().ballots.get("1")?.count).toBe(500);
  });
});
