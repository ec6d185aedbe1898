import { describe, expect, it } from "vitest";
import { closedProposal, putWithVotes, sampleSpace, voteOn } from "../../../support/fake-hub/sample-space.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();

function fill(): void {
  const { store } = stage.hub();
  store.putSpace(sampleSpace());
  for (const id of ["0x1", "0x2", "0x3"]) {
    const proposal = closedProposal(id);
    putWithVotes(
      store,
      proposal,
      [1, 2, 3].map((n) => voteOn(proposal, n)),
    );
  }
}

describe("a hub whose SQL fails, which it says with status 200", () => {
  it.each(["Space", "Proposals", "Votes"])(
    "is asked again for %s, and nothing is missing",
    async (failing) => {
      fill();
      let failures = 0;
      stage.hub().failWith(({ operation }) => {
        if (operation !== failing || failures === 3) return undefined;
        failures += 1;
        return { kind: "database" };
      });
      expect(await stage.fetch()).toMatchObject({ status: "complete", ballots: 3, votes: 9, rejected: {} });
      expect(stage.http().counters().retries).toBe(3);
    },
  );

  it.each([
    { failing: "Space", words: "Unexpected error" },
    { failing: "Proposals", words: "request failed" },
    { failing: "Votes", words: "request failed" },
  ])("that stays so fails the DAO and says so: $failing", async ({ failing, words }) => {
    fill();
    stage.hub().failWith(({ operation }) => (operation === failing ? { kind: "database" } : undefined));
    const { error } = await stage.fetch();
    expect(error?.code).toBe("SOURCE_FAILED");
    expect(error?.message).toBe(
      `${new URL(stage.hub().url).origin} reports a database failure: "${words}" (given up after 4 attempts)`,
    );
  });

  it("is not taken for one that refuses a query, and that not for it", async () => {
    fill();
    const errors = [{ message: "request failed: skip must not be greater than 5000" }];
    stage.hub().failWith(() => ({ kind: "body", body: { errors, data: { space: null } } }));
    expect((await stage.fetch()).error?.message).toContain("refused the query");
    expect(stage.asked()).toEqual({ Space: 1 });
  });
});
