import { describe, expect, test } from "vitest";
import { createDaoMeasurer } from "../../../../pipeline/score/measure-dao.ts";
import { DAY, sampleDao, sampleProposal, sampleProposalVotes, T } from "../sample-facts.ts";

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

/** The continuities below 1 by strategies, and what became of the proposals of each unit. */
function judge(ballots: readonly Voted[]) {
  const sorted = [...ballots].sort((a, b) => b.daysAgo - a.daysAgo);
  const built = sorted.map(({ unit, daysAgo, voters, power = 1, isFetched = true }, at) => {
    const id = `p${String(at).padStart(3, "0")}`;
    const votes = voters.flatMap(([from, count]) =>
      Array.from({ length: count }, (_, index) => ({ voter: from + index, power: power / 200 })),
    );
    const scoresTotal = votes.length * (power / 200);
    return {
      unit,
      proposal: sampleProposal(id, { endDaysAgo: daysAgo, strategiesKey: unit, scoresTotal }),
      held: isFetched ? [sampleProposalVotes(id, votes)] : [],
    };
  });
  const proposals = built.map(({ proposal }) => proposal);
  const facts = sampleDao({ proposals, held: built.flatMap(({ held }) => held) });
  const { measures, proposals: placed } = createDaoMeasurer(facts, () => undefined).evidenceAt(T);
  const nameOf = new Map(
    placed.map(({ facts: { proposalId }, unit }, at) => [unit, built[at]?.unit ?? proposalId]),
  );
  return {
    continuities: Object.fromEntries(
      measures.continuities.map(({ unit, continuity }) => [nameOf.get(unit), Number(continuity.toFixed(9))]),
    ),
    otherVoters: measures.excluded.filter(({ reason }) => reason === "OTHER_VOTERS").length,
    attentions: measures.proposals.map(({ attention }) => Number(attention.toFixed(9))),
  };
}

describe("continuity of new voting strategies", () => {
  test.each<{ why: string; ballots: readonly Voted[]; continuities: Readonly<Record<string, number>> }>([
    { why: "the DAO's own voters", ballots: [...before, ...daily("new", OLD, 3, 20)], continuities: {} },
    {
      why: "wallets that never voted before",
      ballots: [...before, ...daily("new", OTHERS, 3, 20)],
      continuities: { new: 0 },
    },
    {
      why: "a tenth of them are the DAO's own",
      ballots: [...before, ...daily("new", [[180, 200]], 3, 20)],
      continuities: { new: 0 },
    },
    {
      why: "between a tenth and a quarter: 35 of 200",
      ballots: [...before, ...daily("new", [[165, 200]], 3, 20)],
      continuities: { new: 0.5 },
    },
    {
      why: "more than a quarter",
      ballots: [...before, ...daily("new", [[149, 200]], 3, 20)],
      continuities: {},
    },
    {
      why: "the DAO's own voters come with the second ballot",
      ballots: [...before, ...daily("new", OTHERS, 1, 20), ...daily("new", OLD, 1, 19)],
      continuities: {},
    },
    {
      why: "strategies of its own for each proposal",
      ballots: [...before, ...["a", "b", "c"].flatMap((unit, at) => daily(unit, OTHERS, 1, 20 - at))],
      continuities: { a: 0, b: 0, c: 0 },
    },
    {
      why: "by turns with the DAO's own",
      ballots: [
        ...before,
        ...[9, 8, 7, 6].flatMap((daysAgo) => [
          ...daily("new", OTHERS, 1, daysAgo),
          ...daily("old", OLD, 1, daysAgo - 0.5),
        ]),
      ],
      continuities: { new: 0 },
    },
    {
      why: "one ballot before it says nothing of what is usual",
      ballots: [...daily("old", OLD, 1, 40), ...daily("new", OTHERS, 3, 20)],
      continuities: {},
    },
    {
      why: "an attention of 1.5 before it judges it in part",
      ballots: [
        ...daily("old", OLD, 1, 40),
        { unit: "old", daysAgo: 39, voters: OLD, power: 0.625 },
        ...daily("new", OTHERS, 3, 20),
      ],
      continuities: { new: 0.5 },
    },
    {
      why: "what draws no attention judges nobody",
      ballots: [
        ...before,
        ...Array.from({ length: 20 }, (_, at) => ({
          unit: "old",
          daysAgo: 25 - at / 10,
          voters: OTHERS,
          power: 0.2,
        })),
        ...daily("new", OTHERS, 3, 20),
      ],
      continuities: { new: 0 },
    },
    {
      why: "voters changed since, under strategies of their own",
      ballots: [
        ...daily("old", OLD, 12, 400),
        ...daily("next", OLD, 3, 380),
        ...daily("next", OTHERS, 12, 300),
        ...daily("new", OTHERS, 3, 20),
      ],
      continuities: {},
    },
    {
      why: "no voter ever came back, so that nothing is usual",
      ballots: [
        ...[0, 1, 2, 3].flatMap((at) => daily("old", [[3000 + 200 * at, 200]], 1, 40 - at)),
        ...daily("new", OTHERS, 3, 20),
      ],
      continuities: {},
    },
    {
      why: "ballots that were not fetched",
      ballots: [...before, ...daily("new", OTHERS, 3, 20).map((each) => ({ ...each, isFetched: false }))],
      continuities: {},
    },
    {
      why: "strategies that are older than the frame",
      ballots: [{ unit: "new", daysAgo: 800, voters: OTHERS }, ...before, ...daily("new", OTHERS, 3, 20)],
      continuities: {},
    },
  ])("$why", ({ ballots, continuities }) => {
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

  test("one moment after another is each alone", () => {
    const all = [...before, ...daily("new", OTHERS, 30, 38), ...daily("last", OLD, 5, 5)];
    const proposals = all
      .toSorted((a, b) => b.daysAgo - a.daysAgo)
      .map(({ unit, daysAgo, voters }, at) => ({
        proposal: sampleProposal(`p${at}`, { endDaysAgo: daysAgo, strategiesKey: unit }),
        held: sampleProposalVotes(
          `p${at}`,
          voters.flatMap(([from, count]) =>
            Array.from({ length: count }, (_, index) => ({ voter: from + index })),
          ),
        ),
      }));
    const facts = sampleDao({
      proposals: proposals.map(({ proposal }) => proposal),
      held: proposals.map(({ held }) => held),
    });
    const days = Array.from({ length: 45 }, (_, daysAgo) => T - daysAgo * DAY);
    const measurer = createDaoMeasurer(facts, () => undefined);
    for (const day of [...days.toReversed(), ...days])
      expect(measurer.measureAt(day)).toStrictEqual(createDaoMeasurer(facts, () => undefined).measureAt(day));
    expect(days.some((day) => measurer.measureAt(day).continuities.length > 0)).toBe(true);
  });
});
