import { describe, expect, it } from "vitest";
import {
  closedProposal,
  crowdedVotes,
  putWithVotes,
  sampleSpace,
} from "../../../support/fake-hub/sample-space.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();

describe("2,500 votes of which 1,300 share a second", () => {
  it.each([{ pageSize: 1_000 }, { pageSize: 100 }, { pageSize: 3 }])(
    "come whole and once at $pageSize a page",
    async ({ pageSize }) => {
      const { store } = stage.hub();
      store.putSpace(sampleSpace());
      const proposal = closedProposal("0x1");
      putWithVotes(store, proposal, crowdedVotes(proposal));
      const record = await stage.fetch({ pageSize });
      expect(record).toMatchObject({
        status: "complete",
        proposals: 1,
        ballots: 1,
        votes: 2_500,
        rejected: {},
      });
      const ballot = stage.facts().ballots.get("0x1");
      expect(ballot?.count).toBe(2_500);
      expect(ballot?.powers.reduce((sum, power) => sum + power, 0)).toBe((2_500 * 2_501) / 2);
    },
  );
});
