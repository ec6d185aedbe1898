import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { closedProposal, putWithVotes, voteOn } from "../../../support/fake-hub/sample-space.ts";
import { useHubStage } from "./hub-stage.ts";

const stage = useHubStage();

/** Whether a row that cannot be given, of a ballot that is declared too small, could be what another one lacks. */
const isAmbiguous = (ballots: readonly { readonly excess: number; readonly hasNull: boolean }[]) =>
  ballots.some(({ excess, hasNull }) => hasNull && excess < 0) && ballots.some(({ excess }) => excess > 0);

/** One ballot: how many votes, in how many seconds, what the hub declares too much, and whether one cannot be given. */
const arbitraryBallot = fc.record({
  size: fc.nat(14),
  seconds: fc.integer({ min: 1, max: 4 }),
  excess: fc.constantFrom(0, 0, 0, 0, 1, -1, -4),
  hasNull: fc.constantFrom(false, false, false, true),
});

describe("votes that are asked for by the batch", () => {
  it("come whole and once, whatever the borders of pages, and what the hub declares and cannot give", async () => {
    const { store } = stage.hub();
    await fc.assert(
      fc.asyncProperty(
        fc.array(arbitraryBallot, { maxLength: 14 }).filter((ballots) => !isAmbiguous(ballots)),
        fc.integer({ min: 3, max: 30 }),
        async (ballots, pageSize) => {
          for (const table of [store.proposals, store.votes]) table.clear();
          const expected: (readonly [string, number, number])[] = [];
          for (const [n, { size, seconds, excess, hasNull }] of ballots.entries()) {
            const id = `0x${n}`;
            const row = closedProposal(id, {}, 5 + n);
            const votes = Array.from({ length: size }, (_, voter) =>
              voteOn(row, voter + 1, {
                created: Number(row["start"]) + (voter % seconds),
                ...(hasNull && voter === 2 ? { choice: null } : {}),
              }),
            );
            putWithVotes(store, row, votes);
            const declared = Math.max(0, size + excess);
            store.putProposal({ ...store.proposals.get(id), votes: declared });
            const given = votes.filter(({ choice }) => choice !== null);
            const power = given.reduce((sum, { vp }) => sum + Number(vp), 0);
            if (declared > 0 && given.length > 0) expected.push([id, given.length, power]);
          }
          const sink = await stage.read({ pageSize, isFull: true });
          const came = sink.ballots.map(
            ({ proposalId, count, powers }) =>
              [proposalId, count, powers.reduce((sum, power) => sum + power, 0)] as const,
          );
          expect(came.toSorted()).toEqual(expected.toSorted());
          const incomplete = new Set(
            ballots.flatMap(({ size, excess, hasNull }, n) => {
              const declared = Math.max(0, size + excess);
              return declared > 0 && (declared !== size || (hasNull && size > 2)) ? [`votes/0x${n}`] : [];
            }),
          );
          expect(new Set(sink.rejections.map(({ file }) => file))).toEqual(incomplete);
          expect(sink.rejections).toHaveLength(incomplete.size);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("are asked for alone where the batch gave fewer than there are", async () => {
    const { store } = stage.hub();
    for (const id of ["0x1", "0x2"]) stage.put(id, 2);
    const all = [...store.votes.values()].map((vote) => ({ ...vote, proposal: { id: vote["proposal"] } }));
    const body = { data: { votes: all.slice(0, 3) } };
    stage
      .hub()
      .failWith(({ variables: { where } }) =>
        "proposal_in" in ((where ?? {}) as object) ? { kind: "body", body } : undefined,
      );
    expect(await stage.fetch()).toMatchObject({ votes: 4, rejected: {} });
    expect(stage.asked()).toEqual({ Space: 1, Proposals: 1, Votes: 2 });
  });

  it("are asked for alone where the pages of a batch have no end", async () => {
    for (const id of ["0x1", "0x2"]) stage.put(id, 2);
    let created = 0;
    const later = () => ({ proposal: { id: "0x1" }, created: ++created });
    stage.hub().failWith(({ variables: { where, first } }) => {
      if (!("proposal_in" in ((where ?? {}) as object))) return undefined;
      return { kind: "body", body: { data: { votes: Array.from({ length: Number(first) }, later) } } };
    });
    expect(await stage.fetch({ pageSize: 10 })).toMatchObject({ votes: 4, rejected: {} });
    // Twice as many rows as a batch may have, and one page more.
    expect(stage.asked()["Votes"]).toBe(3 + 2);
  });
});
