import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  createCoordinationWindow,
  type WindowVotes,
} from "../../../../pipeline/score/coordination/coordination-window.ts";
import { createHumansWindow } from "../../../../pipeline/score/coordination/humans.ts";
import { countedVotes } from "../../../../pipeline/score/frame/counted-votes.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../../support/random-dao.ts";
import { plainLinks, timedVotesOf } from "../plain-coordination.ts";
import { everyoneAlone, type SampleVote, sampleVotes } from "../sample-facts.ts";

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
      const ballots = facts.proposals.flatMap(({ proposalId }, order): WindowVotes[] => {
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

/** Of each ballot: which of ten pairs vote as one, whether each with its left or its right neighbour, and how large the crowd is. */
const coincidence = fc.record({
  together: fc.array(fc.boolean(), { minLength: 10, maxLength: 10 }),
  isShifted: fc.constantFrom(false, false, false, true),
  crowd: fc.constantFrom(2, 2, 4, 14),
});

function ballotOfPairs(
  { together, isShifted, crowd }: { together: boolean[]; isShifted: boolean; crowd: number },
  order: number,
): WindowVotes {
  const atMs = (second: number) => (1_700_000_000 + order * 1_000_000 + second) * 1000;
  const members = Array.from({ length: 20 }, (_, index): SampleVote => {
    const voter = isShifted ? (index + 1) % 20 : index;
    const isTogether = together[index >> 1] === true;
    const second = (isTogether ? index >> 1 : 10 + index) * 1000;
    return { voter, atMs: atMs(second), choice: isTogether ? 2 : 1 };
  });
  const others = Array.from({ length: crowd }, (_, index) => ({
    voter: 20 + ((index * 7 + order * 11) % 40),
    atMs: atMs(100_000 + index * 500),
  }));
  return { order, votes: sampleVotes([...members, ...others], `p${order}`) };
}

/** Eight ballots and a step of one at a time never start anew but where a huge crowd comes or goes. */
test("pairs that begin and cease to vote as one are linked and let go, one ballot at a time", () => {
  let came = 0;
  let went = 0;
  fc.assert(
    fc.property(fc.array(coincidence, { minLength: 20, maxLength: 20 }), (specs) => {
      const ballots = specs.map(ballotOfPairs);
      const window = createCoordinationWindow(60);
      let before: string[] = [];
      for (let from = 0; from + 8 <= ballots.length; from += 1) {
        const frame = ballots.slice(from, from + 8);
        const isChanged = window.moveTo(frame);
        const found = linksOf(window);
        expect(found).toStrictEqual(plainLinks(frame.map(({ votes }) => timedVotesOf(votes))));
        if (!isChanged) expect(found).toStrictEqual(before);
        if (from > 0) {
          came += found.filter((link) => !before.includes(link)).length;
          went += before.filter((link) => !found.includes(link)).length;
        }
        before = found;
      }
      // Ten pairs one way and ten the other: places are used again.
      expect(window.pairsCount()).toBeLessThanOrEqual(20);
    }),
    { numRuns: 12, ...SHRINK_LIMITS },
  );
  expect(Math.min(came, went), "the generator must make links come and go").toBeGreaterThan(20);
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
const frameOf = (count: number, crowd: number, from: number, to: number): WindowVotes[] =>
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

test("one link that ends as another begins is a change, and takes no more room", () => {
  // Voters 0 and 1 are together on the first three ballots, 2 and 3 on the last three of nine, among sixty others.
  const ballots = Array.from({ length: 9 }, (_, order): WindowVotes => {
    const pair = order < 3 ? [0, 1] : order > 5 ? [2, 3] : [];
    const alike = pair.map((voter) => ({
      voter,
      atMs: (1_700_000_000 + order * 1_000_000) * 1000,
      choice: 2,
    }));
    const others = ballotOf(4, 60, order).slice(4);
    return { order, votes: sampleVotes([...alike, ...others], `p${order}`) };
  });
  const window = createCoordinationWindow(64);
  window.moveTo(ballots.slice(0, 8));
  expect(linksOf(window)).toStrictEqual(["0-1"]);
  expect(window.moveTo(ballots.slice(1))).toBe(true);
  expect(linksOf(window)).toStrictEqual(["2-3"]);
  expect(window.pairsCount()).toBe(1);
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
