import { describe, expect, it } from "vitest";
import { createPageReader } from "../../../../pipeline/sources/graphql/page-reader.ts";
import { createHttpClient, type HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { HUB_LIMITS, type HubReading, openHub } from "../../../../pipeline/sources/hub/ask-hub.ts";
import { listProposals } from "../../../../pipeline/sources/hub/fetch-proposals.ts";
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
      const sink = await stage.read({ http, url: hub.url, pageSize: 10 });
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

it("takes so many votes from one hub in a run; what is complete is kept, and the next run goes on", async () => {
  const spaces = ["a.eth", "b.eth", "c.eth"];
  for (const space of spaces) {
    stage.hub().store.putSpace(sampleSpace({ id: space }));
    for (const n of [1, 2]) {
      const proposal = closedProposal(`0x${n}${space}`, { space }, 10 * n);
      const votes = Array.from({ length: 20 }, (_, voter) => voteOn(proposal, voter + 1, { space }));
      putWithVotes(stage.hub().store, proposal, votes);
    }
  }
  /** Fetches the spaces, of forty votes each; answers what became of each, and the votes that are held. */
  const fetchAll = async (votesPerRunMax: number) => {
    const source = stage.source({ votesPerRunMax });
    const ends: string[] = [];
    for (const spaceId of spaces) {
      const attempt = { spaceId, sourceId: "snapshot-hub", fetchedAtMs: NOW_MS };
      const fetch = stage.warehouse().beginSpaceFetch(attempt);
      await source.fetchSpace(dao(spaceId), fetch).then(
        () => ends.push(fetch.commit().status),
        ({ code, message }) => ends.push(fetch.fail({ code, message }).error?.message ?? ""),
      );
    }
    const held = stage.warehouse().holdings();
    return { ends, votes: held.map(({ votes }) => votes) };
  };
  const stop = "the hub sent more votes than a run accepts from one hub";
  expect(await fetchAll(60)).toEqual({ ends: ["complete", stop, stop], votes: [40] });
  // Of the first nothing is asked again.
  expect(await fetchAll(80)).toEqual({ ends: spaces.map(() => "complete"), votes: [40, 40, 40] });
});

describe("limits", () => {
  /** A hub that answers every page full, for ever; each row a second after the one before. */
  function endless(pageSize: number) {
    let page = 0;
    const http = {
      postJson: async ({ late }: Parameters<HttpClient["postJson"]>[0]) => {
        late?.();
        page += 1;
        const rows = Array.from({ length: pageSize }, (_, n) => ({ created: page * pageSize + n }));
        return { status: 200, body: { data: { proposals: rows, votes: rows } } };
      },
      counters: () => ({ requests: 0, retries: 0, bytes: 0, rateLimited: 0 }),
      close: async () => undefined,
    };
    const client = openHub({ http, url: "" });
    const pages = createPageReader({ client, pageSize, withheld: { count: 0, max: 0 } });
    const space = { spaceId: SPACE_ID, spaceRow: undefined, sink: memorySink(), ballotsAtOnce: 1 };
    const rest = { nowMs: NOW_MS, isFull: false, budget: { votes: Infinity }, record: () => undefined };
    const reading: HubReading = { pages, ...space, ...rest };
    return { reading, asked: () => page };
  }

  it.each([
    { why: "proposals", says: "more than 200000 proposals", pageSize: 200_001, pagesRead: 1 },
    { why: "votes", says: "more than 2097152 votes", pageSize: 700_000, pagesRead: 3 },
  ])("$why without end are an error at the most there can be", async ({ why, says, pageSize, pagesRead }) => {
    const proposal = proposalOfHub(HubProposal.parse(closedProposal("0x1")));
    const { reading, asked } = endless(pageSize);
    const read = async () => {
      if (why === "proposals") return void (await listProposals(reading, [{}]));
      for await (const { rows } of readVotePages(reading, proposal, undefined))
        expect(rows).toHaveLength(pageSize);
    };
    const message = expect.stringContaining(says);
    await expect(read()).rejects.toMatchObject({ code: "SOURCE_FAILED", message });
    expect(asked()).toBe(pagesRead);
  });

  it("links and distinct strategies of a space may be as long as any plausible space's, and no longer", async () => {
    const LONGEST = 65_536;
    const strategies = '[{"name":"erc20","network":"1","params":{}}]';
    const put = (n: number, length: number) => {
      const discussion = `${n}`.padEnd(length, ".");
      stage.hub().store.putProposal(closedProposal(`0x${n}`, { discussion }, n));
    };
    // Each text counts once, however often it comes; the last one fills what is left.
    const whole = HUB_LIMITS.textLengthMax / LONGEST - 1;
    for (let n = 1; n <= whole; n += 1) put(n, LONGEST);
    put(600, LONGEST - strategies.length);
    stage.hub().store.putProposal({ ...stage.hub().store.proposals.get("0x1"), id: "0xagain" });
    const sink = await stage.read({ pageSize: 100 });
    expect([sink.proposals.length, sink.rejections]).toEqual([whole + 2, []]);
    put(600, LONGEST - strategies.length + 1);
    await expect(stage.read({ pageSize: 100 })).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: expect.stringContaining(
        `more than ${HUB_LIMITS.textLengthMax} characters of links and strategies`,
      ),
    });
  });

  it("nothing is asked that the hub refuses or passes over: sizes, skips, lists, orders and filters", async () => {
    const { store } = stage.hub();
    stage.putCrowded();
    for (let n = 0; n < 230; n += 1) store.putProposal(closedProposal(`0xn${n}`));
    await stage.fetch();
    store.proposals.clear();
    await stage.fetch({ nowMs: NOW_MS + 1 });
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

  describe("an answer that is too large is asked for in parts, and nothing is lost or doubled", () => {
    it.each([
      { why: "it unpacks to more than the door lets in", fault: BOMB, pageSize: 300 },
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
      // Pages of one ballot follow each other, those of several share requests.
      const proposal = closedProposal("0x1");
      const startS = Number(proposal["start"]);
      const votes = Array.from({ length: 6_000 }, (_, voter) =>
        voteOn(proposal, voter + 1, { created: startS + voter }),
      );
      putWithVotes(stage.hub().store, proposal, votes);
      stage.hub().failWith(past(250, fault));
      expect(await stage.fetch()).toMatchObject({ votes: 6_000, rejected: {} });
      const asked = stage.hub().arrived.filter(({ operation }) => operation === "Votes");
      const sizes = asked.map(({ variables }) => variables["first"]);
      const failed = (size: number) => Array(attempts).fill(size);
      const pages = (count: number) => Array(count).fill(250);
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
    stage.put("0x1", 1);
    stage.fail(failing, REFUSAL);
    const message = `the hub's answer is too large (${failing})`;
    expect((await stage.fetch()).error).toEqual({ code: "SOURCE_FAILED", message });
    expect(stage.asked()[failing]).toBe(requests);
  });
});
