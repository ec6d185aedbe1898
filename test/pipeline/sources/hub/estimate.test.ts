import { describe, expect, it } from "vitest";
import { openSource, type SourceOptions } from "../../../../pipeline/sources/all.ts";
import { minutesOf, queriesOf, requestsOf } from "../../../../pipeline/sources/hub/estimate.ts";
import { createSnapshotHubSource } from "../../../../pipeline/sources/hub/hub-source.ts";
import { EIGHT_SPACES, putEightSpaces } from "../../../support/fake-hub/eight-spaces.ts";
import { closedProposal, NOW_MS, SPACE_ID, sampleSpace } from "../../../support/fake-hub/sample-space.ts";
import { startFakeHub } from "../../../support/fake-hub/start-fake-hub.ts";
import { dao } from "../../warehouse/sample-facts.ts";
import { createVirtualTime } from "../http/virtual-time.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();

describe("estimate", () => {
  const hub = () => ({ http: stage.http(), url: stage.hub().url, apiKey: undefined });

  it("a first fetch of eight spaces takes at most the requests that were estimated, and not half of them", async () => {
    putEightSpaces(stage.hub().store, 800);
    const source = createSnapshotHubSource({ ...hub(), pageSize: 1_000, nowMs: NOW_MS, isFull: false });
    const { spaces } = await source.readFeed(EIGHT_SPACES, () => undefined);
    expect(stage.asked()).toEqual({ Spaces: 1 });
    const estimated = [...spaces.values()].reduce((sum, size) => sum + queriesOf(size), 0);
    for (const spaceId of EIGHT_SPACES) {
      const fetch = stage
        .warehouse()
        .beginSpaceFetch({ spaceId, sourceId: "snapshot-hub", fetchedAtMs: NOW_MS });
      await source.fetchSpace(dao(spaceId), fetch);
      fetch.commit();
    }
    const asked = Object.values(stage.asked()).reduce((sum, count) => sum + count, 0);
    expect(asked).toBeLessThanOrEqual(estimated);
    expect(asked).toBeGreaterThan(estimated / 2);
    const held = new Map(
      stage
        .warehouse()
        .holdings()
        .map((one) => [one.spaceId, one.votes]),
    );
    const again = [...spaces].map(([id, size]) => queriesOf(size, held.get(id)));
    expect(again, "of what is held nothing is asked").toEqual(EIGHT_SPACES.map(() => 1));
  });

  describe("queriesOf", () => {
    it.each([
      { proposalsCount: 0, votesCount: 0, held: 0, is: 1 },
      { proposalsCount: null, votesCount: null, held: 0, is: 1 },
      { proposalsCount: 10, votesCount: 10, held: 0, is: 3 },
      { proposalsCount: 1_000, votesCount: 200_000, held: 0, is: 412 },
      { proposalsCount: 1_000, votesCount: 200_000, held: 199_000, is: 14 },
      { proposalsCount: 1_000, votesCount: 200_000, held: 300_000, is: 2 },
    ])("$proposalsCount proposals, $votesCount votes, $held held: $is", ({ held, is, ...size }) => {
      expect(queriesOf(size, held)).toBe(is);
    });
  });

  describe("requestsOf", () => {
    it.each([
      { why: "nothing to ask", queries: [], is: 0 },
      { why: "one space asks one query after the other", queries: [7], is: 7 },
      { why: "others go along with it", queries: [7, 7, 7, 7, 7], is: 7 },
      { why: "all spaces of a hub", queries: Array.from({ length: 200_000 }, () => 1), is: 40_000 },
      { why: "the last request is not full", queries: [2, 2, 2, 2, 2, 1], is: 3 },
    ])("$why: $is", ({ queries, is }) => expect(requestsOf(queries, 5)).toBe(is));
  });

  describe("minutesOf", () => {
    it.each([
      { why: "nothing", requests: 0, requestsPerMinute: 100, keyRemaining: Infinity, is: 0 },
      { why: "part of a minute", requests: 1, requestsPerMinute: 100, keyRemaining: Infinity, is: 1 },
      { why: "without a key", requests: 1_001, requestsPerMinute: 100, keyRemaining: Infinity, is: 11 },
      {
        why: "with a key that is enough",
        requests: 1_000,
        requestsPerMinute: 500,
        keyRemaining: 1_000,
        is: 2,
      },
      { why: "with one for half of it", requests: 1_000, requestsPerMinute: 500, keyRemaining: 500, is: 6 },
      { why: "with one that is used up", requests: 1_000, requestsPerMinute: 500, keyRemaining: 0, is: 10 },
      { why: "slower than without a key", requests: 1_000, requestsPerMinute: 10, keyRemaining: 0, is: 100 },
    ])("$why: $is", ({ requests, is, ...pace }) => {
      expect(minutesOf(requests, pace)).toBe(is);
    });
  });

  it("asks for a hundred spaces at once, and takes no space that was not asked for, nor a count that is none", async () => {
    const ids = Array.from({ length: 101 }, (_, n) => `s${n}.eth`);
    stage.hub().store.putSpace(sampleSpace({ id: "s0.eth" }));
    const { readFeed } = createSnapshotHubSource({ ...hub(), pageSize: 1_000, nowMs: NOW_MS, isFull: false });
    expect([...(await readFeed(ids, () => undefined)).spaces.keys()]).toEqual(["s0.eth"]);
    expect(stage.hub().arrived.map(({ operation }) => operation)).toEqual(["Spaces_Spaces"]);
    const odd = [
      { id: "s1.eth", proposalsCount: -1, votesCount: "many" },
      { id: "other.eth", proposalsCount: 1, votesCount: 1 },
      null,
    ];
    stage.hub().failWith(() => ({ kind: "body", body: { data: { spaces: odd } } }));
    const { spaces } = await readFeed(["s1.eth", "s2.eth", "s3.eth"], () => undefined);
    expect([...spaces]).toMatchObject([["s1.eth", { proposalsCount: null, votesCount: null }]]);
  });
});

/** The proposals, 70,000 votes of at least 500 a page, and a batch. */
const REQUESTS = 1 + 140 + 1;

it.each<{ why: string; options: Partial<SourceOptions>; keyLimit?: number; says: object }>([
  { why: "as many a minute as the hub allows", options: {}, says: { minutes: 2 } },
  { why: "the pace that was asked for", options: { pace: { requestsPerMinute: 20 } }, says: { minutes: 8 } },
  {
    why: "a key that is enough",
    options: { hubKey: "good", pace: { requestsPerMinute: 600 } },
    says: { minutes: 1 },
  },
  {
    why: "a key with less than that",
    options: { hubKey: "good", pace: { requestsPerMinute: 600 } },
    keyLimit: 24,
    says: { minutes: 2, keyRemaining: 23 },
  },
])("a hub's estimate is for $why", async ({ options, keyLimit = 1_000, says }) => {
  const hub = await startFakeHub({ keyLimit });
  hub.store.putSpace(sampleSpace());
  hub.store.putProposal(closedProposal("0x1", { votes: 70_000 }));
  const opened = openSource(
    { source: "snapshot-hub", from: hub.url, ...options },
    { ...createVirtualTime(NOW_MS), version: "1.0.0" },
  );
  try {
    const estimate = await opened.survey?.([dao(SPACE_ID)], () => undefined);
    expect(estimate).toEqual({
      spaceIds: new Set([SPACE_ID]),
      unchanged: new Set(),
      requests: REQUESTS,
      ...says,
    });
  } finally {
    await opened.close();
    await hub.close();
  }
});
