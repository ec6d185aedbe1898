import { describe, expect, test } from "vitest";
import {
  crowdOn,
  factsOf,
  honestDao,
  type OpenProposal,
  ownProposals,
  sealed,
  splitWhale,
} from "./attacked-dao.ts";
import { pointsOf, scoreSample } from "./sample-facts.ts";
import { seededNumbers } from "./seeded-numbers.ts";

const gvsOf = (proposals: readonly OpenProposal[]): number => pointsOf(scoreSample(factsOf(proposals)).gvs);
const deiOf = (proposals: readonly OpenProposal[]): number =>
  pointsOf(scoreSample(factsOf(proposals)).components.dei);

/** The honest proposals with a crowd of a thousand on each; the usual power cast is some 4.5 million. */
function crowded(real: readonly OpenProposal[], power: number, isBurst: boolean): OpenProposal[] {
  const random = seededNumbers(5);
  return real.map(({ proposal, votes }) =>
    sealed(proposal, [...votes, ...crowdOn(proposal, random, { count: 1000, power, isBurst })]),
  );
}

describe.each([1, 2, 3])("a DAO of forty proposals (seed %d)", (seed) => {
  const real = honestDao(seed);
  const honest = gvsOf(real);
  const usual = real[20]?.proposal.scoresTotal ?? 0;
  const crowds = (isBurst: boolean): OpenProposal[] =>
    ownProposals(20, seed, (proposal, random) =>
      crowdOn(proposal, random, { count: 1000, power: 1, isBurst }),
    );

  test("the honest one is scored on full evidence", () => {
    expect(scoreSample(factsOf(real)).attentionSum).toBeGreaterThan(20);
    expect(usual).toBeGreaterThan(3e6);
  });

  test.each([
    {
      why: "100 junk proposals of one voter",
      attacked: () => [...real, ...ownProposals(100, seed, () => [{ voter: 99_999, power: 1 }])],
    },
    {
      why: "20 proposals with 1,000 dust wallets at random times",
      attacked: () => [...real, ...crowds(false)],
    },
    { why: "20 proposals with 1,000 dust wallets in bursts", attacked: () => [...real, ...crowds(true)] },
    {
      why: "1,000 dust wallets on the real proposals at random times",
      attacked: () => crowded(real, 0.5, false),
    },
    { why: "1,000 dust wallets on the real proposals in bursts", attacked: () => crowded(real, 0.5, true) },
    {
      why: "20 own proposals with 5 % of the usual power",
      attacked: () => [...real, ...ownProposals(20, seed, () => [{ voter: 99_999, power: usual / 20 }])],
    },
    {
      why: "400 own proposals with 5 % of the usual power",
      attacked: () => [...real, ...ownProposals(400, seed, () => [{ voter: 99_999, power: usual / 20 }])],
    },
  ])("$why: gvs moves less than .1", ({ attacked }) => {
    expect(Math.abs(gvsOf(attacked()) - honest)).toBeLessThan(0.1);
  });

  /** The whale split on the last so many proposals on which it voted, in the same minute. */
  const splitLast = (votes: number): OpenProposal[] => {
    const own = [...real.keys()].filter((index) => real[index]?.votes.some(({ voter }) => voter === 0));
    return splitWhale(real, own.at(-votes) ?? 0, 5);
  };

  test("a whale as ten wallets in the same minute is seen once it voted so eight times: DEI is what it was", () => {
    for (const votes of [8, 12, 20]) {
      expect(deiOf(splitLast(votes))).toBeCloseTo(deiOf(real), 9);
    }
  });

  test("a whale as ten wallets in the same minute is not seen on its first three votes: DEI rises by less than .3", () => {
    const rise = deiOf(splitLast(3)) - deiOf(real);
    expect(rise).toBeGreaterThanOrEqual(0);
    expect(rise).toBeLessThan(0.3);
  });

  test("a whale as ten wallets ten minutes apart is not seen: DEI rises by 2.4 to 2.7, gvs by .8 to 1", () => {
    const split = splitWhale(real, 0, 600);
    const rise = deiOf(split) - deiOf(real);
    expect(rise).toBeGreaterThan(2.4);
    expect(rise).toBeLessThan(2.7);
    expect(gvsOf(split) - honest).toBeGreaterThan(0.8);
    expect(gvsOf(split) - honest).toBeLessThan(1);
  });

  test("a thousand wallets with a thousandth of the power are a thousand people: gvs rises by 1 to 1.4", () => {
    const rise = gvsOf(crowded(real, usual * 1e-6, false)) - honest;
    expect(rise).toBeGreaterThan(1);
    expect(rise).toBeLessThan(1.4);
  });

  test("the same in bursts of fifty a minute is seen, and costs the DAO itself 2.6 to 3.2 of its gvs", () => {
    const loss = honest - gvsOf(crowded(real, usual * 1e-6, true));
    expect(loss).toBeGreaterThan(2.6);
    expect(loss).toBeLessThan(3.2);
  });
});
