import { describe, expect, it } from "vitest";
import { createHttpClient, type HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { openHub } from "../../../../pipeline/sources/hub/ask-hub.ts";
import { fetchProposals } from "../../../../pipeline/sources/hub/fetch-proposals.ts";
import { createPageSizes, type HubReading } from "../../../../pipeline/sources/hub/hub-reading.ts";
import { createSnapshotHubSource } from "../../../../pipeline/sources/hub/hub-source.ts";
import { readVotePages } from "../../../../pipeline/sources/hub/vote-pages.ts";
import { HubProposal, proposalOfHub } from "../../../../pipeline/sources/upstream/hub-objects.ts";
import {
  closedProposal,
  crowdedVotes,
  NOW_MS,
  putWithVotes,
  SPACE_ID,
  sampleSpace,
  voteOn,
} from "../../../support/fake-hub/sample-space.ts";
import { type ArrivedQuery, type HubFault, startFakeHub } from "../../../support/fake-hub/start-fake-hub.ts";
import { dao } from "../../warehouse/sample-facts.ts";
import { createVirtualTime } from "../http/virtual-time.ts";
import { memorySink } from "../memory-sink.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();

describe("a hub that lets a hundred requests a minute through", () => {
  it.each([
    { why: "one a second", requestsPerMinute: 60, minutes: 4 },
    { why: "as many as it allows", requestsPerMinute: 100, minutes: 2 },
    { why: "ten a second, where its headers say when to wait", requestsPerMinute: 600, minutes: 2 },
  ])("gives every vote and refuses nothing: $why", async ({ requestsPerMinute, minutes }) => {
    const time = createVirtualTime(NOW_MS);
    const hub = await startFakeHub({ limiter: { requestsPerMinute: 100, nowMs: time.nowMs } });
    const http = createHttpClient({ ...time, version: "1.0.0", settings: { requestsPerMinute } });
    try {
      hub.store.putSpace(sampleSpace());
      const proposal = closedProposal("0x1");
      putWithVotes(hub.store, proposal, crowdedVotes(proposal));
      const source = createSnapshotHubSource({
        http,
        url: hub.url,
        pageSize: 10,
        nowMs: NOW_MS,
        isFull: false,
      });
      const sink = memorySink();
      await source.fetchSpace(dao(SPACE_ID), sink);
      expect([sink.ballots.map(({ count }) => count), sink.rejections]).toEqual([[2_500], []]);
      // The space, the proposals, 250 full pages and an empty one.
      expect(http.counters()).toMatchObject({ requests: 253, rateLimited: 0 });
      expect(Math.floor((time.nowMs() - NOW_MS) / 60_000)).toBe(minutes);
    } finally {
      await http.close();
      await hub.close();
    }
  });
});

describe("budget", () => {
  const SPACES = ["a.eth", "b.eth", "c.eth"];

  /** Fetches three spaces of forty votes each; answers what became of each. */
  async function fetchAll(votesPerRunMax: number): Promise<readonly string[]> {
    const source = createSnapshotHubSource({
      http: stage.http(),
      url: stage.hub().url,
      pageSize: 1_000,
      nowMs: NOW_MS,
      isFull: false,
      votesPerRunMax,
    });
    const ends: string[] = [];
    for (const spaceId of SPACES) {
      const attempt = { spaceId, sourceId: "snapshot-hub", fetchedAtMs: NOW_MS };
      const fetch = stage.warehouse().beginSpaceFetch(attempt);
      try {
        await source.fetchSpace(dao(spaceId), fetch);
        ends.push(fetch.commit().status);
      } catch (error) {
        const { message } = error as Error;
        ends.push(fetch.fail({ code: "SOURCE_FAILED", message }).error?.message ?? "");
      }
    }
    return ends;
  }

  it("a run takes so many votes from one hub; what is complete is kept, and the next run goes on", async () => {
    for (const space of SPACES) {
      stage.hub().store.putSpace(sampleSpace({ id: space }));
      for (const n of [1, 2]) {
        const proposal = closedProposal(`0x${n}${space}`, { space }, 10 * n);
        const votes = Array.from({ length: 20 }, (_, voter) => voteOn(proposal, voter + 1, { space }));
        putWithVotes(stage.hub().store, proposal, votes);
      }
    }
    const stop = "the hub sent more votes than a run accepts from one hub";
    expect(await fetchAll(60)).toEqual(["complete", stop, stop]);
    const votes = () =>
      stage
        .warehouse()
        .holdings()
        .map((one) => one.votes);
    expect(votes()).toEqual([40]);
    stage.hub().forget();
    expect(await fetchAll(80), "of the first nothing is asked again").toEqual([
      "complete",
      "complete",
      "complete",
    ]);
    expect(votes()).toEqual([40, 40, 40]);
  });
});

describe("limits", () => {
  /** A hub that answers every page full, for ever; each row a second after the one before. */
  function endless(pageSize: number): HubReading {
    let page = 0;
    const rows = () => {
      page += 1;
      return Array.from({ length: pageSize }, (_, n) => ({ created: page * pageSize + n }));
    };
    const http = {
      postJson: async ({ late }: Parameters<HttpClient["postJson"]>[0]) => {
        late?.();
        const answered = rows();
        return { status: 200, headers: {}, body: { data: { proposals: answered, votes: answered } } };
      },
      counters: () => ({ requests: 0, retries: 0, bytes: 0, rateLimited: 0 }),
      close: async () => undefined,
    };
    const hub = openHub({ http, url: "" });
    const record = () => undefined;
    const budget = { votes: Infinity, withheld: 0 };
    const sizes = createPageSizes(pageSize);
    const sink = memorySink();
    const space = { spaceId: SPACE_ID, spaceRow: undefined, ballotsAtOnce: 1 };
    return { hub, ...space, sink, pageSize, sizes, nowMs: NOW_MS, isFull: false, budget, record };
  }

  it.each([
    { why: "proposals", says: "more than 200000 proposals", pageSize: 200_001 },
    { why: "votes", says: "more than 2097152 votes", pageSize: 700_000 },
  ])(
    "$why without end are an error at the most there can be, and never cut off",
    async ({ why, says, pageSize }) => {
      const proposal = proposalOfHub(HubProposal.parse(closedProposal("0x1")));
      const reading = endless(pageSize);
      const read = async () => {
        if (why === "proposals") return void (await fetchProposals(reading, 0));
        for await (const { rows } of readVotePages(reading, proposal, undefined))
          expect(rows).toHaveLength(pageSize);
      };
      await expect(read()).rejects.toMatchObject({
        code: "SOURCE_FAILED",
        message: expect.stringContaining(says),
      });
    },
  );

  it("nothing is asked that the hub refuses or passes over: sizes, skips, lists, orders and filters", async () => {
    const { store } = stage.hub();
    const crowded = closedProposal("0xcrowd");
    putWithVotes(store, crowded, crowdedVotes(crowded));
    for (let n = 0; n < 230; n += 1) store.putProposal(closedProposal(`0x${n}`));
    await stage.fetch({ pageSize: 1_000 });
    store.proposals.clear();
    await stage.fetch({ pageSize: 1_000, nowMs: NOW_MS + 1 });
    const listings = stage
      .hub()
      .arrived.map(({ variables }) => variables)
      .filter((one) => "where" in one);
    expect(listings.length).toBeGreaterThan(6);
    const filters = new Set<string>();
    for (const { where, first, skip, orderBy, orderDirection } of listings) {
      expect([orderBy, orderDirection]).toEqual(["created", "asc"]);
      expect(Number(first)).toBeLessThanOrEqual(1_000);
      expect(Number(skip)).toBeLessThanOrEqual(5_000);
      for (const [name, value] of Object.entries(where as object)) {
        filters.add(name);
        if (name.endsWith("_in")) expect((value as unknown[]).length).toBeLessThanOrEqual(100);
      }
    }
    // No `id_gt` and no `vp_gt`: votes know no such filter, and 0 is none.
    expect([...filters].sort()).toEqual(["created_gte", "end_gte", "id_in", "proposal", "space"]);
  });
});

describe("too large", () => {
  /** Answers with `fault` where more than so many rows are asked for. */
  const past = (most: number, fault: HubFault) => (query: ArrivedQuery) =>
    Number(query.variables["first"]) > most ? fault : undefined;
  const REFUSAL: HubFault = { kind: "status", status: 413, body: { error: "too large" } };
  const GATEWAY_TIMEOUT: HubFault = { kind: "status", status: 504, body: "<html>" };
  const BOMB: HubFault = { kind: "bomb", bytes: 16 * 1024 * 1024 };
  const FLOOD: HubFault = { kind: "body", body: `{"data":{"votes":[${"0,".repeat(600_000)}0]}}` };

  describe("an answer that is too large is asked for in parts, and nothing is lost or doubled", () => {
    it.each([
      { why: "the hub says so", fault: REFUSAL, pageSize: 1_000 },
      { why: "it unpacks to more than the door lets in", fault: BOMB, pageSize: 300 },
      { why: "it holds more values than the door lets in", fault: FLOOD, pageSize: 300 },
      { why: "from a page that is small already", fault: REFUSAL, pageSize: 300 },
      { why: "a proxy in front of the hub waits no longer", fault: GATEWAY_TIMEOUT, pageSize: 1_000 },
      { why: "the hub breaks down over it", fault: { kind: "restart" } as const, pageSize: 1_000 },
    ])("$why", async ({ fault, pageSize }) => {
      const { store } = stage.hub();
      stage.putCrowded();
      for (let n = 2; n < 250; n += 1) store.putProposal(closedProposal(`0x${n}`));
      stage.hub().failWith(past(200, fault));
      const record = await stage.fetch({ pageSize });
      expect(record).toMatchObject({ status: "complete", proposals: 249, votes: 2_500, rejected: {} });
      const powers = stage.facts().ballots.get("0x1")?.powers ?? new Float64Array();
      expect(powers.reduce((sum, power) => sum + power, 0)).toBe((2_500 * 2_501) / 2);
    });

    it("also where proposals are asked for by id", async () => {
      const { store } = stage.hub();
      for (let n = 0; n < 90; n += 1) store.putProposal(closedProposal(`0x${n}`));
      await stage.fetch();
      // Out of the listing, so that each is asked for by its id, and found.
      for (const row of [...store.proposals.values()]) {
        store.putProposal({ ...row, start: Number(row["start"]) - 1e8, end: Number(row["end"]) - 1e8 });
      }
      stage.hub().failWith(past(20, REFUSAL));
      expect(await stage.fetch()).toMatchObject({ status: "complete", proposals: 90, rejected: {} });
      expect(stage.facts().proposals.some(({ isDeleted }) => isDeleted)).toBe(false);
    });
  });

  it.each([
    { why: "refused", fault: REFUSAL, attempts: 1 },
    { why: "too slow", fault: GATEWAY_TIMEOUT, attempts: 2 },
  ])(
    "a size that worked is kept for the space, and the larger one is tried now and then: $why",
    async (row) => {
      const { fault, attempts } = row;
      const { store } = stage.hub();
      // Pages of one ballot follow each other, those of several share requests.
      const proposal = closedProposal("0x1");
      const startS = Number(proposal["start"]);
      const votes = Array.from({ length: 6_000 }, (_, voter) =>
        voteOn(proposal, voter + 1, { created: startS + voter }),
      );
      putWithVotes(store, proposal, votes);
      stage.hub().failWith(past(250, fault));
      expect(await stage.fetch()).toMatchObject({ votes: 6_000, rejected: {} });
      const sizes = stage
        .hub()
        .arrived.flatMap(({ operation, variables }) =>
          operation === "Votes" ? [Number(variables["first"])] : [],
        );
      const failed = (size: number) => Array.from({ length: attempts }, () => size);
      const pages = (count: number) => Array.from({ length: count }, () => 250);
      expect(sizes).toEqual([
        ...[...failed(1_000), ...failed(500), ...pages(8)],
        ...[...failed(500), ...pages(16)],
        // The last one is empty.
        ...[...failed(500), ...pages(1)],
      ]);
    },
  );

  it.each([
    { why: "one row", failing: "Votes", requests: 10 },
    { why: "a space", failing: "Space", requests: 1 },
  ])("fails where even $why is too large, after so many questions", async ({ failing, requests }) => {
    const proposal = closedProposal("0x1");
    stage.cast(proposal, 1);
    stage.hub().failWith(({ operation }) => (operation === failing ? REFUSAL : undefined));
    const record = await stage.fetch();
    expect(record.error).toEqual({
      code: "SOURCE_FAILED",
      message: `the hub's answer is too large (${failing})`,
    });
    expect(stage.asked()[failing]).toBe(requests);
  });
});
