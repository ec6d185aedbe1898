import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createArchiveSource } from "../../../../pipeline/sources/archive/archive-source.ts";
import { createArchiveRecorder } from "../../../../pipeline/sources/archive/record.ts";
import {
  closedProposal,
  crowdedVotes,
  NOW_MS,
  NOW_S,
  putWithVotes,
  SPACE_ID,
  sampleSpace,
  voteOn,
} from "../../../support/fake-hub/sample-space.ts";
import { dao, factsOf } from "../../warehouse/sample-facts.ts";
import { createWarehouseHome } from "../../warehouse/warehouse-home.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();

describe("an interrupted fetch", () => {
  /** Lets so many pages of votes through and ends every connection after that. */
  function breakAfter(pages: number): void {
    let served = 0;
    stage.hub().failWith(({ operation }) => {
      if (operation.startsWith("Votes")) served += 1;
      return served > pages ? { kind: "restart" } : undefined;
    });
  }

  it("goes on from its last page in another process, and shows nothing before it is whole", async () => {
    stage.putCrowded();
    breakAfter(17);
    expect(await stage.fetch({ pageSize: 100 })).toMatchObject({ status: "failed", votes: 0 });
    expect(stage.facts()).toMatchObject({ proposals: [], lastCompleteFetchMs: undefined });
    stage.reopen();
    stage.hub().failWith(undefined);
    stage.asked();
    expect(await stage.fetch({ pageSize: 100 })).toMatchObject({
      status: "complete",
      votes: 2_500,
      rejected: {},
    });
    // 25 full pages and the empty one that ends them.
    expect(stage.asked()["Votes"]).toBe(26 - 17);
  });

  it("gives the same ballot, wherever it broke off and whatever the pages then", async () => {
    stage.putCrowded();
    await stage.fetch();
    const whole = stage.facts().ballots.get("0x1");
    const sizes = fc.constantFrom(1_000, 250, 97);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(sizes, fc.nat(12)), { maxLength: 4 }),
        sizes,
        async (breaks, last) => {
          for (const [pageSize, pages] of breaks) {
            breakAfter(pages);
            await stage.fetch({ pageSize, isFull: true });
            stage.reopen();
          }
          stage.hub().failWith(undefined);
          const record = await stage.fetch({ pageSize: last, isFull: true });
          expect(record).toMatchObject({ status: "complete", votes: 2_500, rejected: {} });
          expect(stage.facts().ballots.get("0x1")).toEqual(whole);
        },
      ),
      { numRuns: 8 },
    );
  });

  it("does not ask again for ballots that were whole before it broke off", async () => {
    const ids = Array.from({ length: 13 }, (_, n) => `0x${n + 10}`);
    for (const id of ids) stage.put(id);
    breakAfter(1);
    // Two of them fit into a page, and up to five pages into a request.
    expect(await stage.fetch({ pageSize: 8 })).toMatchObject({ status: "failed" });
    const first = stage.hub().arrived.find(({ operation }) => operation.startsWith("Votes"));
    const answered = first?.operation.split("_").length ?? 0;
    stage.reopen();
    stage.hub().failWith(undefined);
    stage.asked();
    expect(await stage.fetch()).toMatchObject({ status: "complete", ballots: 13, votes: 39, rejected: {} });
    const votes = stage.hub().arrived.filter(({ operation }) => operation === "Votes");
    // The queries of the one request that was answered; its ballots are held.
    const heldIds = ids.slice(0, 2 * answered);
    expect(heldIds.length).toBeGreaterThan(0);
    expect(votes.map(({ variables }) => variables["where"])).toEqual([
      { space: "sample.eth", proposal_in: ids.slice(heldIds.length), created_gte: 0 },
    ]);
  });

  it("begins anew where the hub counts otherwise by then", async () => {
    stage.putCrowded();
    breakAfter(3);
    await stage.fetch({ pageSize: 100 });
    const proposal = closedProposal("0x1");
    const early = voteOn(proposal, 9_999, { created: Number(proposal["start"]) });
    putWithVotes(stage.hub().store, proposal, [early, ...crowdedVotes(proposal)]);
    stage.hub().failWith(undefined);
    expect(await stage.fetch({ pageSize: 100 })).toMatchObject({ votes: 2_501, rejected: {} });
  });

  it("does not trust pages that were not fetched in full, when it shall ask for everything", async () => {
    stage.putCrowded();
    breakAfter(2);
    await stage.fetch();
    stage.hub().failWith(undefined);
    stage.asked();
    await stage.fetch({ isFull: true });
    expect(stage.asked()["Votes"]).toBe(3);
  });

  it("keeps no page that cannot be trusted, also of a proposal that left the listing", async () => {
    const sinceMs = NOW_MS - 30 * 86_400_000;
    stage.put("0x1", 3, {}, 10);
    await stage.fetch({ sinceMs });
    stage.put("0x1", 3, {}, 60);
    const votes = [1, 2, 3].map(() => ({ proposal: { id: "0x1" }, voter: 7 }));
    stage.fail("Votes", { kind: "body", body: { data: { votes } } });
    expect((await stage.fetch({ sinceMs })).error?.message).toContain(
      "3 of 3 votes of the hub are malformed",
    );
    stage.hub().failWith(undefined);
    expect(await stage.fetch({ sinceMs })).toMatchObject({ status: "complete", votes: 3, rejected: {} });
  });

  it("refuses the same rows for the same causes as one in one go", async () => {
    const { store } = stage.hub();
    const proposal = closedProposal("0x1");
    const odd = [{ vp: -1 }, { choice: 9 }, { created: NOW_S }, { voter: "x.eth" }, { choice: "0xab" }];
    const rest = Array.from({ length: 20 }, () => ({}));
    putWithVotes(
      store,
      proposal,
      [...odd, ...rest].map((change, n) => voteOn(proposal, n + 1, change)),
    );
    const once = await stage.fetch();
    const facts = stage.facts();
    breakAfter(6);
    await stage.fetch({ pageSize: 4, isFull: true });
    stage.hub().failWith(undefined);
    const resumed = await stage.fetch({ pageSize: 4, isFull: true });
    expect(resumed).toEqual(once);
    expect(stage.facts()).toEqual(facts);
    expect(Object.keys(once.rejected).length).toBeGreaterThanOrEqual(4);
  });
});

it("records of a full fetch what an archive replays to the same facts and rejections", async () => {
  const directory = mkdtempSync(join(tmpdir(), "recorded-"));
  const home = createWarehouseHome();
  onTestFinished(() => {
    home.remove();
    rmSync(directory, { recursive: true, force: true });
  });
  const { store } = stage.hub();
  store.putSpace(sampleSpace({ filters: { onlyMembers: false, minScore: "many" } }));
  stage.putCrowded();
  const author = `0x${"4a".repeat(31)}`;
  const odd = closedProposal("0x2", { type: "weighted", privacy: "shutter" });
  const changes = [
    { choice: { "1": 2 }, reason: "so" },
    { choice: "0xab" },
    { vp: -1 },
    { choice: { "2": 1 }, voter: author },
  ];
  putWithVotes(
    store,
    odd,
    changes.map((change, n) => voteOn(odd, n + 1, change)),
  );
  store.putProposal(closedProposal("0x3", { scores_state: "pending", flagged: true, author }));

  const record = await stage.fetch({
    pageSize: 400,
    isFull: true,
    record: createArchiveRecorder(directory),
  });
  const replayed = home.open();
  const attempt = { spaceId: SPACE_ID, sourceId: "archive", fetchedAtMs: record.fetchedAtMs };
  const fetch = replayed.beginSpaceFetch(attempt);
  await createArchiveSource({ directory }).fetchSpace({ ...dao(SPACE_ID), governor: undefined }, fetch);
  expect({ ...fetch.commit(), sourceId: "snapshot-hub" }).toEqual(record);
  expect({ ...factsOf(replayed, SPACE_ID), isArchive: false }).toEqual(stage.facts());
});
