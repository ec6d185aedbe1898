import { expect, it } from "vitest";
import { openSource, type SourceOptions } from "../../../pipeline/sources/all.ts";
import { closedProposal, NOW_MS, SPACE_ID, sampleSpace } from "../../support/fake-hub/sample-space.ts";
import { startFakeHub } from "../../support/fake-hub/start-fake-hub.ts";
import { dao } from "../warehouse/sample-facts.ts";
import { createVirtualTime } from "./http/virtual-time.ts";

/** The space, its proposals, 70,000 votes of at least 500 a page, and a batch. */
const REQUESTS = 1 + 1 + 140 + 1;

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
    const estimate = await opened.survey?.([dao(SPACE_ID)], () => 0);
    expect(estimate).toEqual({ spaceIds: new Set([SPACE_ID]), requests: REQUESTS, ...says });
  } finally {
    await opened.close();
    await hub.close();
  }
});
