import { describe, expect, test } from "vitest";
import type { DaoFacts } from "../../../../pipeline/facts/dao-facts.ts";
import {
  DAY,
  measurerOf,
  measureSample,
  sampleDao,
  sampleProposal,
  sampleProposalVotes,
  T,
} from "../sample-facts.ts";

/** A ballot of a day with so many equal voters from a number on, or of several such groups. */
interface Voted {
  readonly unit: string;
  readonly daysAgo: number;
  readonly voters: readonly (readonly [from: number, count: number])[];
  /** Part of the usual power, by default all of it. */
  readonly power?: number;
  readonly isFetched?: boolean;
}

const OLD = [[0, 200]] as const;
const OTHERS = [[1000, 200]] as const;
const DUST = 0.3;

/** So many ballots, one a day. */
const daily = (
  unit: string,
  voters: Voted["voters"],
  count: number,
  firstDaysAgo: number,
): readonly Voted[] =>
  Array.from({ length: count }, (_, at) => ({ unit, daysAgo: firstDaysAgo - at, voters }));
const before = daily("old", OLD, 12, 40);

/** A DAO with a proposal for each ballot. */
function daoOf(ballots: readonly Voted[]): DaoFacts {
  const sorted = ballots.toSorted((a, b) => b.daysAgo - a.daysAgo);
  const built = sorted.map(({ unit, daysAgo, voters, power = 1, isFetched = true }, at) => {
    const id = `p${String(at).padStart(3, "0")}`;
    const votes = voters.flatMap(([from, count]) =>
      Array.from({ length: count }, (_, index) => ({ voter: from + index, power: power / 200 })),
    );
    const scoresTotal = votes.length * (power / 200);
    return {
      proposal: sampleProposal(id, { endDaysAgo: daysAgo, strategiesKey: unit, scoresTotal }),
      held: isFetched ? [sampleProposalVotes(id, votes)] : [],
    };
  });
  return sampleDao({
    proposals: built.map(({ proposal }) => proposal),
    held: built.flatMap(({ held }) => held),
  });
}

/** The continuities below 1 by strategies, and what became of the proposals of each unit. */
function judge(ballots: readonly Voted[]) {
  const facts = daoOf(ballots);
  const { measures, proposals } = measurerOf(facts).evidenceAt(T);
  const strategiesOf = new Map(proposals.map(({ unit }, at) => [unit, facts.proposals[at]?.strategiesKey]));
  return {
    continuities: Object.fromEntries(
      measures.continuities.map(({ unit, continuity }) => [
        strategiesOf.get(unit),
        Number(continuity.toFixed(9)),
      ]),
    ),
    otherVoters: [...measures.excluded.values()].filter((reason) => reason === "OTHER_VOTERS").length,
    attentions: measures.proposals.map(({ attention }) => Number(attention.toFixed(9))),
  };
}

describe("continuity of new voting strategies", () => {
  const strangers = daily("new", OTHERS, 3, 20);
  const newcomers = (from: number) => daily("new", [[from, 200]], 3, 20);
  test.each<[why: string, ballots: readonly Voted[], continuities: Readonly<Record<string, number>>]>([
    ["the DAO's own voters", [...before, ...daily("new", OLD, 3, 20)], {}],
    ["wallets that never voted before", [...before, ...strangers], { new: 0 }],
    ["a tenth of them are the DAO's own", [...before, ...newcomers(180)], { new: 0 }],
    ["between a tenth and a quarter: 35 of 200", [...before, ...newcomers(165)], { new: 0.5 }],
    ["more than a quarter", [...before, ...newcomers(149)], {}],
    [
      "the DAO's own voters come with the second ballot",
      [...before, ...daily("new", OTHERS, 1, 20), ...daily("new", OLD, 1, 19)],
      {},
    ],
    [
      "strategies of its own for each proposal",
      [...before, ...["a", "b", "c"].flatMap((unit, at) => daily(unit, OTHERS, 1, 20 - at))],
      { a: 0, b: 0, c: 0 },
    ],
    [
      "by turns with the DAO's own",
      [
        ...before,
        ...[9, 8, 7, 6].flatMap((daysAgo) => [
          ...daily("new", OTHERS, 1, daysAgo),
          ...daily("old", OLD, 1, daysAgo - 0.5),
        ]),
      ],
      { new: 0 },
    ],
    [
      "no two ballots before it have a voter in common",
      [
        ...[0, 1, 2, 3, 4].flatMap((at) => daily("old", [[200 * at, 200]], 1, 40 - at)),
        ...daily("new", [[2000, 200]], 3, 20),
      ],
      {},
    ],
    ["one ballot before it does not show what is usual", [...daily("old", OLD, 1, 40), ...strangers], {}],
    [
      "an attention of 1.5 before it judges it in part",
      [...daily("old", OLD, 1, 40), { unit: "old", daysAgo: 39, voters: OLD, power: 0.625 }, ...strangers],
      { new: 0.5 },
    ],
    [
      "ballots without attention judge nobody",
      [
        ...before,
        ...Array.from({ length: 20 }, (_, at) => ({
          unit: "old",
          daysAgo: 25 - at / 10,
          voters: OTHERS,
          power: 0.2,
        })),
        ...strangers,
      ],
      { new: 0 },
    ],
    [
      "voters changed since, under strategies of their own",
      [
        ...daily("old", OLD, 12, 400),
        ...daily("next", OLD, 3, 380),
        ...daily("next", OTHERS, 12, 300),
        ...strangers,
      ],
      {},
    ],
    [
      "no voter ever came back, so that nothing is usual",
      [...[0, 1, 2, 3].flatMap((at) => daily("old", [[3000 + 200 * at, 200]], 1, 40 - at)), ...strangers],
      {},
    ],
    [
      "ballots that were not fetched",
      [...before, ...strangers.map((each) => ({ ...each, isFetched: false }))],
      {},
    ],
    [
      "strategies that are older than the frame",
      [{ unit: "new", daysAgo: 800, voters: OTHERS }, ...before, ...strangers],
      {},
    ],
  ])("%s", (_, ballots, continuities) => {
    expect(judge(ballots).continuities).toStrictEqual(continuities);
  });

  test("attention is multiplied by it, and a proposal without any says why it does not count", () => {
    const part = judge([...daily("old", OLD, 2, 40), ...daily("new", [[165, 200]], 2, 20)]);
    expect(part).toMatchObject({ attentions: [1, 1, 0.5, 0.5], otherVoters: 0 });
    const none = judge([...daily("old", OLD, 2, 40), ...daily("new", OTHERS, 2, 20)]);
    expect(none).toMatchObject({ attentions: [1, 1], otherVoters: 2 });
    const junk = judge([
      ...daily("old", OLD, 2, 40),
      ...daily("old", OTHERS, 1, 20).map((each) => ({ ...each, power: DUST / 2 })),
    ]);
    expect(junk).toMatchObject({ attentions: [1, 1], otherVoters: 0 });
  });

  test("consecutive moments are measured as each moment alone", () => {
    const facts = daoOf([...before, ...daily("new", OTHERS, 30, 38), ...daily("last", OLD, 5, 5)]);
    const days = Array.from({ length: 45 }, (_, daysAgo) => T - daysAgo * DAY);
    const measurer = measurerOf(facts);
    for (const day of [...days.toReversed(), ...days])
      expect(measurer.measureAt(day)).toStrictEqual(measureSample(facts, day));
    expect(days.some((day) => measurer.measureAt(day).continuities.length > 0)).toBe(true);
  });
});
