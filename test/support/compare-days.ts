import { expect } from "vitest";
import type { DaoFacts } from "../../pipeline/facts/dao-facts.ts";
import { endedDayEndsMs } from "../../pipeline/facts/days.ts";
import { createDaoMeasurer } from "../../pipeline/score/measure-dao.ts";
import { scoreMeasures } from "../../pipeline/score/score-measures.ts";

/** The end of the last day with votes on an ended proposal; `undefined` if there is none. */
export function lastHeldMs(facts: DaoFacts): number | undefined {
  const ends = facts.proposals.flatMap(({ proposalId, end }) =>
    end !== undefined && (facts.ballots.get(proposalId)?.count ?? 0) > 0 ? [end.atMs] : [],
  );
  return ends.length === 0 ? undefined : Math.max(...ends) + 86_400_000;
}

/**
 * Scores the ended days before a moment in one pass, and some of them alone with fresh measurers; both must agree to the
 * bit. Returns how many of those days have a score.
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
