import { describe, expect, it } from "vitest";
import { openSource, type SourceOptions } from "../../../pipeline/sources/all.ts";
import { minutesOf, queriesOf, requestsOf } from "../../../pipeline/sources/estimate.ts";
import { EIGHT_SPACES, putEightSpaces } from "../../support/fake-hub/eight-spaces.ts";
import { closedProposal, NOW_MS, SPACE_ID, sampleSpace } from "../../support/fake-hub/sample-space.ts";
import { startFakeHub } from "../../support/fake-hub/start-fake-hub.ts";
import { dao } from "../warehouse/sample-facts.ts";
import { createVirtualTime } from "./http/virtual-time.ts";
import { useHubStage } from "./hub/hub-stage.ts";

const stage = useHubStage();

describe("estimate", () => {
  it("a first fetch of eight spaces takes at most the requests that were estimated, and not half of them", async () => {
    putEightSpaces(stage.hub().store, 800);
    const source = stage.source();
    const { spaces } = await source.readFeed(EIGHT_SPACES, () => undefined);
    expect(stage.asked()).toEqual({ Spaces: 1 });
    const estimated = [...spaces.values()].reduce((sum, size) => sum + queriesOf(size), 0);
    for (const spaceId of EIGHT_SPACES) await stage.fetch({}, spaceId);
    const asked = Object.values(stage.asked()).reduce((sum, count) => sum + count, 0);
    expect(asked).toBeLessThanOrEqual(estimated);
    expect(asked).toBeGreaterThan(estimated / 2);
    const held = new Map(
      stage
        .warehouse()
        .holdings()
        .map(({ spaceId, votes }) => [spaceId, votes]),
    );
    const again = [...spaces].map(([id, size]) => queriesOf(size, held.get(id)));
    expect(again, "of what is held nothing is asked").toEqual(EIGHT_SPACES.map(() => 1));
  });

  it.each<[proposals: number | null, votes: number | null, held: number, queries: number]>([
    [0, 0, 0, 1],
    [null, null, 0, 1],
    [10, 10, 0, 3],
    [1_000, 200_000, 0, 412],
    [1_000, 200_000, 199_000, 14],
    [1_000, 200_000, 300_000, 2],
  ])(
    "%s proposals and %s votes of which %i are held take %i queries",
    (proposalsCount, votesCount, held, is) => {
      expect(queriesOf({ proposalsCount, votesCount }, held)).toBe(is);
    },
  );

  it.each<[why: string, queries: readonly number[], requests: number]>([
    ["nothing to ask", [], 0],
    ["one space asks one query after the other", [7], 7],
    ["others go along with it", [7, 7, 7, 7, 7], 7],
    ["all spaces of a hub", Array.from({ length: 200_000 }, () => 1), 40_000],
    ["the last request is not full", [2, 2, 2, 2, 2, 1], 3],
  ])("%s: %o take %i requests", (_why, queries, requests) => {
    expect(requestsOf(queries, 5)).toBe(requests);
  });

  it.each<[why: string, requests: number, requestsPerMinute: number, keyRemaining: number, minutes: number]>([
    ["nothing", 0, 100, Infinity, 0],
    ["part of a minute", 1, 100, Infinity, 1],
    ["without a key", 1_001, 100, Infinity, 11],
    ["with a key that is enough", 1_000, 500, 1_000, 2],
    ["with one for half of it", 1_000, 500, 500, 6],
    ["with one that is used up", 1_000, 500, 0, 10],
    ["slower than without a key", 1_000, 10, 0, 100],
  ])(
    "%s: %i requests at %i a minute, %d of a key, take %i",
    (_why, requests, requestsPerMinute, keyRemaining, is) => {
      expect(minutesOf(requests, requestsPerMinute, keyRemaining)).toBe(is);
    },
  );

  it("asks for a hundred spaces at once, and takes no space that was not asked for, nor a count that is none", async () => {
    const ids = Array.from({ length: 101 }, (_, n) => `s${n}.eth`);
    stage.hub().store.putSpace(sampleSpace({ id: "s0.eth" }));
    const { readFeed } = stage.source();
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
