import { expect, it } from "vitest";
import { createSnapshotHubSource } from "../../../../pipeline/sources/hub/hub-source.ts";
import {
  closedProposal,
  NOW_MS,
  putWithVotes,
  sampleSpace,
  voteOn,
} from "../../../support/fake-hub/sample-space.ts";
import { dao } from "../../warehouse/sample-facts.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();
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
