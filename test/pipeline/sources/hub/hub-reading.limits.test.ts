import { expect, it } from "vitest";
import { fetchProposals } from "../../../../pipeline/sources/hub/fetch-proposals.ts";
import { createPageSizes, type HubReading } from "../../../../pipeline/sources/hub/hub-reading.ts";
import { readVotePages } from "../../../../pipeline/sources/hub/vote-pages.ts";
import { HubProposal, proposalOfHub } from "../../../../pipeline/sources/upstream/hub-objects.ts";
import {
  closedProposal,
  crowdedVotes,
  NOW_MS,
  putWithVotes,
  SPACE_ID,
} from "../../../support/fake-hub/sample-space.ts";
import { memorySink } from "../memory-sink.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();

/** A hub that answers every page full, for ever; each row a second after the one before. */
function endless(pageSize: number): HubReading {
  let page = 0;
  const rows = () => {
    page += 1;
    return Array.from({ length: pageSize }, (_, n) => ({ created: page * pageSize + n }));
  };
  const http = {
    postJson: async () => {
      const answered = rows();
      return { status: 200, headers: {}, body: { data: { proposals: answered, votes: answered } } };
    },
    counters: () => ({ requests: 0, retries: 0, bytes: 0, rateLimited: 0 }),
    close: async () => undefined,
  };
  const hub = { http, url: "", apiKey: undefined };
  const record = () => undefined;
  const budget = { votes: Infinity, withheld: 0 };
  const sizes = createPageSizes(pageSize);
  const sink = memorySink();
  return { hub, spaceId: SPACE_ID, sink, pageSize, sizes, nowMs: NOW_MS, isFull: false, budget, record };
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
