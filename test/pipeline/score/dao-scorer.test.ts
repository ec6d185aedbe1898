import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VOTE_FLAGS } from "../../../pipeline/facts/proposal-votes.ts";
import { createDaoScorer } from "../../../pipeline/score/dao-scorer.ts";
import type { DaoScore } from "../../../pipeline/score/method/dao-score.ts";
import { buildRandomDao, randomDaoSpec, SHRINK_LIMITS } from "../../support/random-dao.ts";
import { plainScore } from "./plain-score.ts";
import { DAY, sampleDao, sampleProposal, sampleProposalVotes, scoreSample, T } from "./sample-facts.ts";

/** Everything of a score but the names of entities. */
function numbersOf(score: DaoScore): unknown {
  const { entities, ...rest } = score;
  const rows = entities.map(({ entityId: _, ...numbers }) => JSON.stringify(numbers));
  return { ...rest, entities: rows.sort() };
}

/** A permutation of 0..19 and far larger numbers, from a seed. */
function renumbering(seed: number): (voter: number) => number {
  const order = Array.from({ length: 20 }, (_, index) => index).sort(
    (a, b) => (((a + 1) * (seed + 7919)) % 104729) - (((b + 1) * (seed + 7919)) % 104729),
  );
  return (voter) => (order[voter] ?? voter) * 1000 + seed;
}

/** No number anywhere is NaN or infinite. */
function expectFinite(value: unknown): void {
  if (typeof value === "number") expect(Number.isFinite(value)).toBe(true);
  else if (typeof value === "object" && value !== null) Object.values(value).forEach(expectFinite);
}

test("a plain second reading of the method gives the same scores", () => {
  let scored = 0;
  fc.assert(
    fc.property(randomDaoSpec, fc.constantFrom(0, 0, 1, 30.5, 100), (spec, daysAgo) => {
      const facts = buildRandomDao(spec);
      const atMs = T - daysAgo * DAY;
      const score = scoreSample(facts, atMs);
      const plain = plainScore(facts, atMs);
      const { hpr, dei, pdi, gpi } = score.components;
      for (const [name, mine, theirs] of [
        ["hpr", hpr, plain.hpr],
        ["dei", dei, plain.dei],
        ["pdi", pdi, plain.pdi],
        ["gpi", gpi, plain.gpi],
        ["gvs", score.gvs, plain.gvs],
      ] as const) {
        if (mine.kind === "gap") expect(theirs, `${name} ${mine.reason}`).toBeUndefined();
        else expect(mine.points, name).toBeCloseTo(theirs ?? Number.NaN, 6);
      }
      expect(score.attentionSum).toBeCloseTo(plain.attention, 9);
      if (score.risk.kind === "gap") expect(plain.risk, score.risk.reason).toBeUndefined();
      else {
        scored += 1;
        expect(score.risk.score).toBeCloseTo(plain.risk ?? Number.NaN, 5);
        expect(score.risk.activeVoterCount).toBe(plain.activeVoters);
        expect(score.risk.whaleControlPct).toBeCloseTo(plain.whalePct ?? Number.NaN, 6);
      }
    }),
    { numRuns: 400, ...SHRINK_LIMITS },
  );
  expect(scored, "the generator must make DAOs that can be scored").toBeGreaterThan(100);
});

describe("of any DAO", () => {
  test("every number lies in its range and none is NaN", () => {
    fc.assert(
      fc.property(randomDaoSpec, (spec) => {
        const score = scoreSample(buildRandomDao(spec));
        expectFinite(score);
        for (const component of [...Object.values(score.components), score.gvs])
          if (component.kind === "score") {
            expect(component.points).toBeGreaterThanOrEqual(0);
            expect(component.points).toBeLessThanOrEqual(10);
          }
        expect(score.completenessPct ?? 0).toBeGreaterThanOrEqual(0);
        expect(score.completenessPct ?? 0).toBeLessThanOrEqual(100);
        for (const { participationShare, powerShare } of score.entities) {
          expect(participationShare).toBeGreaterThan(0);
          expect(participationShare).toBeLessThanOrEqual(1);
          expect(powerShare ?? 0).toBeLessThanOrEqual(1 + 1e-12);
        }
        if (score.risk.kind === "gap") return;
        for (const pct of [score.risk.score, score.risk.whaleControlPct, score.risk.checkpointVotingPct]) {
          expect(pct).toBeGreaterThanOrEqual(0);
          expect(pct).toBeLessThanOrEqual(100);
        }
      }),
      SHRINK_LIMITS,
    );
  });

  test("other voter numbers, another order of ballots and other entity ids change no bit", () => {
    fc.assert(
      fc.property(randomDaoSpec, fc.nat(5000), (spec, seed) => {
        const other = buildRandomDao(spec, {
          numberOf: renumbering(seed),
          entityIdOf: (entity) => `other ${9 - entity}`,
          isReversed: true,
        });
        expect(numbersOf(scoreSample(other))).toStrictEqual(numbersOf(scoreSample(buildRandomDao(spec))));
      }),
      SHRINK_LIMITS,
    );
  });

  test("what happens after t changes no bit of what is said as of t", () => {
    fc.assert(
      fc.property(randomDaoSpec, fc.integer({ min: 1, max: 200 }), (spec, daysAgo) => {
        const facts = buildRandomDao(spec);
        const atMs = T - daysAgo * DAY;
        const known = facts.proposals.filter(({ end }) => (end?.atMs ?? 0) <= atMs);
        const ids = new Set(known.map(({ proposalId }) => proposalId));
        const past = {
          ...facts,
          proposals: known,
          ballots: new Map([...facts.ballots].filter(([id]) => ids.has(id))),
        };
        const list = {
          spaceId: "sample.eth",
          date: "2030-01-01",
          asOfMs: T + DAY,
          isComplete: true,
          decimals: 0,
          fetchedAtMs: T + DAY,
          delegates: [{ address: "0xa", votes: 5n, delegatorsCount: 1, ens: undefined }],
        };
        const future = {
          ...facts,
          delegateLists: [list],
          proposals: [...facts.proposals, sampleProposal("q", { endDaysAgo: -9 })],
          ballots: new Map([
            ["q", sampleProposalVotes("q", [{ voter: 3, power: 9e9, atMs: T + 8 * DAY }])],
            ...facts.ballots,
          ]),
        };
        // Votes already cast on a vote that still runs belong to an entity's own first and last vote, and to nothing else.
        const open = ({ entities, ...rest }: DaoScore): unknown => ({
          ...rest,
          entities: entities.map(({ firstVoteAtMs: _, lastVoteAtMs: __, ...numbers }) => numbers),
        });
        expect(open(scoreSample(future, atMs))).toStrictEqual(open(scoreSample(past, atMs)));
        for (const { lastVoteAtMs } of scoreSample(future, atMs).entities)
          expect(lastVoteAtMs ?? 0).toBeLessThanOrEqual(atMs);
      }),
      SHRINK_LIMITS,
    );
  });

  test("a scorer that has been asked about other days answers as a fresh one", () => {
    fc.assert(
      fc.property(randomDaoSpec, (spec) => {
        const facts = buildRandomDao(spec);
        const scorer = createDaoScorer(facts, () => undefined);
        for (const daysAgo of [40, 3, 90, 0, 1]) scorer.scoreAt(T - daysAgo * DAY, true);
        expect(scorer.scoreAt(T - 3 * DAY, true)).toStrictEqual(scoreSample(facts, T - 3 * DAY));
      }),
      { numRuns: 40, ...SHRINK_LIMITS },
    );
  });
});

describe("a DAO's own facts", () => {
  const busy = Array.from({ length: 24 }, (_, index) =>
    sampleProposal(`p${String(index).padStart(2, "0")}`, {
      endDaysAgo: 170 - 7 * index,
      author: `0x${index}`,
      votesCount: 30,
      scoresTotal: 2565,
    }),
  );
  const ballots = busy.map(({ proposalId, start }) =>
    sampleProposalVotes(
      proposalId,
      Array.from({ length: 30 }, (_, voter) => ({
        voter,
        power: 100 - voter,
        atMs: (start?.atMs ?? 0) + voter * 3_600_000,
      })),
    ),
  );
  const facts = sampleDao({ proposals: busy, held: ballots });

  test.each([
    { why: "no proposal at all", facts: sampleDao(), reason: "NO_PROPOSALS" },
    {
      why: "proposals whose votes were not fetched",
      facts: sampleDao({ proposals: busy.map((proposal) => ({ ...proposal, votesCount: 9 })) }),
      reason: "BALLOTS_MISSING",
    },
    {
      why: "a DAO that was never fetched whole",
      facts: { ...facts, lastCompleteFetchMs: undefined },
      reason: "NOT_FETCHED",
    },
    {
      why: "a ballot of which no vote has power",
      facts: sampleDao({ proposals: busy, held: [sampleProposalVotes("p00", [{ voter: 1, power: 0 }])] }),
      reason: "BALLOTS_MISSING",
    },
    {
      why: "ballots that stayed sealed",
      facts: sampleDao({
        proposals: busy,
        held: busy.map(({ proposalId }) =>
          sampleProposalVotes(proposalId, [{ voter: 1, flags: VOTE_FLAGS.choiceUnreadable }]),
        ),
      }),
      reason: "BALLOTS_MISSING",
    },
    {
      why: "power unknown everywhere",
      facts: sampleDao({
        proposals: busy,
        held: busy.map(({ proposalId }) =>
          sampleProposalVotes(proposalId, [{ voter: 1, isPowerUnknown: true }]),
        ),
      }),
      reason: "COMPONENT_GAP",
    },
  ])("$why gives no gvs and no risk, and says why", ({ facts: poor, reason }) => {
    const score = scoreSample(poor);
    expect(score.gvs).toStrictEqual({ kind: "gap", reason });
    expect(score.risk.kind).toBe("gap");
  });

  test.each([
    { why: "20 are enough", count: 20, confidence: "high" },
    { why: "19 are not", count: 19, confidence: "low" },
  ])("confidence: $why", ({ count, confidence }) => {
    expect(scoreSample({ ...facts, proposals: busy.slice(0, count) }).confidence).toBe(confidence);
  });

  test("an entity's proposals have one author, and its wallets one head", () => {
    const alone = createDaoScorer(facts, () => undefined).scoreAt(T, true);
    const author = createDaoScorer(facts, () => "ent_one").scoreAt(T, true);
    expect(author.components.gpi).not.toStrictEqual(alone.components.gpi);
    expect(author.components.hpr).toStrictEqual(alone.components.hpr);
    const entityIdOfVoter = new Map([0, 1, 2, 3].map((voter) => [voter, "ent_one"]));
    const merged = scoreSample({ ...facts, entityIdOfVoter });
    expect(merged.risk).toMatchObject({ activeVoterCount: 27 });
    expect(alone.risk).toMatchObject({ activeVoterCount: 30 });
  });

  test.each([
    {
      why: "a past day is as fresh as it will ever be",
      isPastDay: true,
      isArchive: false,
      fetched: undefined,
      lost: 0,
    },
    { why: "an archive does not age", isPastDay: false, isArchive: true, fetched: undefined, lost: 0 },
    { why: "just fetched", isPastDay: false, isArchive: false, fetched: T, lost: 0 },
    {
      why: "four days old: half of a tenth",
      isPastDay: false,
      isArchive: false,
      fetched: T - 4 * DAY,
      lost: 5,
    },
    { why: "never fetched whole", isPastDay: false, isArchive: false, fetched: undefined, lost: 10 },
  ])("freshness: $why", ({ isPastDay, isArchive, fetched, lost }) => {
    const aged = { ...facts, isArchive, lastCompleteFetchMs: fetched };
    const fresh = createDaoScorer(facts, () => undefined).scoreAt(T, true).completenessPct ?? 0;
    const score = createDaoScorer(aged, () => undefined).scoreAt(T, isPastDay);
    expect(fresh - (score.completenessPct ?? 0)).toBeCloseTo(lost, 0);
  });
});
