import { expect } from "vitest";
import type { DaoFacts } from "../../pipeline/facts/dao-facts.ts";
import { endedDayEndsMs } from "../../pipeline/facts/days.ts";
import { createDaoMeasurer } from "../../pipeline/score/measure-dao.ts";
import { scoreMeasures } from "../../pipeline/score/score-measures.ts";

/** The end of the last day on which votes are held of a proposal that ended; `undefined` where there is none. */
export function lastHeldMs(facts: DaoFacts): number | undefined {
  const ends = facts.proposals.flatMap(({ proposalId, end }) =>
    end !== undefined && (facts.ballots.get(proposalId)?.count ?? 0) > 0 ? [end.atMs] : [],
  );
  return ends.length === 0 ? undefined : Math.max(...ends) + 86_400_000;
}

/**
 * Scores the ended days before a moment in one pass and so many of them alone, each by a fresh measurer; they must agree to
 * the bit. Answers how many of those days are scored.
 */
export function expectDaysAlike(input: {
  readonly facts: DaoFacts;
  readonly asOfMs: number;
  readonly days: number;
  readonly aloneEvery: number;
  readonly entityIdOfWallet: (wallet: string) => string | undefined;
}): number {
  const { facts, days, aloneEvery, entityIdOfWallet } = input;
  const dayEndsMs = endedDayEndsMs(input.asOfMs, days);
  const measurer = createDaoMeasurer(facts, entityIdOfWallet);
  const inOnePass = dayEndsMs.map((endMs) => scoreMeasures(measurer.measureAt(endMs)));
  let scored = 0;
  dayEndsMs.forEach((dayEndMs, day) => {
    if (day % aloneEvery !== aloneEvery - 1) return;
    const alone = scoreMeasures(createDaoMeasurer(facts, entityIdOfWallet).measureAt(dayEndMs));
    expect(inOnePass[day], `${facts.dao.spaceId}, ${new Date(dayEndMs).toISOString()}`).toStrictEqual(alone);
    if (alone.unscored === undefined) scored += 1;
  });
  return scored;
}
