import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { countedVotes } from "../../../pipeline/score/ballot-votes.ts";
import { createCoordinationWindow, type WindowBallot } from "../../../pipeline/score/coordination-window.ts";
import { createHumansWindow } from "../../../pipeline/score/humans-window.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../support/random-dao.ts";
import { plainLinks, timedVotesOf } from "./plain-coordination.ts";
import { everyoneAlone, type SampleVote, sampleVotes } from "./sample-facts.ts";

const linksOf = (window: ReturnType<typeof createCoordinationWindow>): string[] => {
  const links: string[] = [];
  window.forEachLink((voter, partner) => links.push(`${voter}-${partner}`));
  return links.sort();
};

/** Which ballots come and go at each step, few at a time so that the window slides rather than starts anew. */
const steps = fc.array(fc.array(fc.nat(43), { maxLength: 3 }), { minLength: 1, maxLength: 12 });

test("links that were kept up to date are those that all pairs tell, whatever came and went", () => {
  let linked = 0;
  let slid = 0;
  fc.assert(
    fc.property(randomDaoSpec, steps, (spec, changes) => {
      const facts = buildRandomDao(spec);
      const ballots = facts.proposals.flatMap(({ proposalId }, order): WindowBallot[] => {
        const ballot = facts.ballots.get(proposalId);
        return ballot === undefined ? [] : [{ order, votes: countedVotes(ballot, (voter) => voter) }];
      });
      const window = createCoordinationWindow(20);
      const inFrame = new Set(ballots.map(({ order }) => order).filter((order) => order % 4 !== 1));
      for (const change of [[], ...changes]) {
        for (const order of change) if (!inFrame.delete(order)) inFrame.add(order);
        const frame = ballots.filter(({ order }) => inFrame.has(order));
        const before = linksOf(window);
        const isChanged = window.moveTo(frame);
        const expected = window.isAssessed() ? plainLinks(frame.map(({ votes }) => timedVotesOf(votes))) : [];
        const found = linksOf(window);
        expect(found).toStrictEqual(expected);
        if (!isChanged) expect(found).toStrictEqual(before);
        linked += found.length;
        slid += 1;
      }
    }),
    SHRINK_LIMITS,
  );
  expect(linked, "the generator must make links").toBeGreaterThan(slid / 10);
});

/** Voters 0..count−1 in one second and for an option of their own, and a crowd of so many that take all week. */
function ballotOf(count: number, crowd: number, proposal: number): SampleVote[] {
  const atMs = (second: number) => (1_700_000_000 + proposal * 1_000_000 + second) * 1000;
  return [
    ...Array.from({ length: count }, (_, voter) => ({ voter, atMs: atMs(0), choice: 2 })),
    ...Array.from({ length: crowd }, (_, index) => ({
      voter: count + index,
      atMs: atMs(200 + ((index * 7919 + proposal * 104_729) % 1000) * 300),
    })),
  ];
}
const frameOf = (count: number, crowd: number, from: number, to: number): WindowBallot[] =>
  Array.from({ length: to - from }, (_, index) => ({
    order: from + index,
    votes: sampleVotes(ballotOf(count, crowd, from + index), `p${from + index}`),
  }));

describe("what is remembered", () => {
  test("a burst of fifty thousand votes in a minute makes no pair", () => {
    const window = createCoordinationWindow(50_000);
    const ballots = frameOf(50_000, 0, 0, 4);
    window.moveTo(ballots.slice(0, 3));
    window.moveTo(ballots);
    expect(window.pairsCount()).toBe(0);
    expect(window.isAssessed()).toBe(true);
  });

  test("pairs are forgotten when their ballots leave", () => {
    const window = createCoordinationWindow(220);
    const frames = frameOf(20, 200, 0, 12);
    window.moveTo(frames.slice(0, 6));
    expect(linksOf(window)).toHaveLength(190);
    for (let from = 1; from <= 6; from += 1) window.moveTo(frames.slice(from, from + 6));
    expect(linksOf(window)).toHaveLength(190);
    expect(window.pairsCount()).toBeLessThan(400);
    window.moveTo(frames.slice(10));
    expect(linksOf(window)).toStrictEqual([]);
    expect(window.isAssessed()).toBe(false);
  });
});

test("people are the same array while no link comes or goes, and links are not read too late", () => {
  const people = createHumansWindow(everyoneAlone(220));
  const frames = frameOf(20, 200, 0, 8);
  const first = people.at(frames.slice(0, 6));
  expect(first.coordination.links).toHaveLength(190);
  const second = people.at(frames.slice(0, 7));
  expect(second.humanOfVoter).toBe(first.humanOfVoter);
  expect([...second.humanOfVoter.slice(0, 21)]).toStrictEqual([...Array<number>(20).fill(0), 20]);
  expect(() => first.coordination.links).toThrow("links are read after the window has moved on");
});
