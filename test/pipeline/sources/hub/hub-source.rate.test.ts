import { describe, expect, it } from "vitest";
import { createHttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { createSnapshotHubSource } from "../../../../pipeline/sources/hub/hub-source.ts";
import {
  closedProposal,
  crowdedVotes,
  NOW_MS,
  putWithVotes,
  SPACE_ID,
  sampleSpace,
} from "../../../support/fake-hub/sample-space.ts";
import { startFakeHub } from "../../../support/fake-hub/start-fake-hub.ts";
import { dao } from "../../warehouse/sample-facts.ts";
import { createVirtualTime } from "../http/virtual-time.ts";
import { memorySink } from "../memory-sink.ts";

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
