import fc from "fast-check";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import type { TrackedDao, TrackedEntity } from "../../../pipeline/facts/tracked.ts";
import type { EntityParticipation } from "../../../pipeline/score/components/entities.ts";
import type { Risk } from "../../../pipeline/score/components/risk.ts";
import { dailyPointOf } from "../../../pipeline/score/daily-point.ts";
import { INDICATORS } from "../../../pipeline/score/method/indicators.ts";
import { between, type Interval, vitalityInterval } from "../../../pipeline/score/method/marks.ts";
import { scoreGovernanceIndex } from "../../../pipeline/score/ranking/governance-index.ts";
import type { DaoScore } from "../../../pipeline/score/score-measures.ts";
import { dayOf } from "../../../snapshots/format/ids.ts";
import { cleanText } from "../../../snapshots/format/text.ts";
import {
  CATEGORIES,
  DELEGATE_CENTRALIZATIONS,
  PROPOSAL_VELOCITIES,
  RISK_LEVELS,
  TRENDS,
} from "../../../snapshots/format/value-sets.ts";
import { anyText } from "../../support/any-text.ts";
import type { PublishedSetInput } from "./published-set.ts";
import { AS_OF_MS, DAY_MS, entityIdOf, evidenceOf, rankingOf, walletOf } from "./scored-daos.ts";

const number = (max: number) => fc.double({ min: 0, max, noNaN: true });
const share = number(1);

const intervalUpTo = (max: number): fc.Arbitrary<Interval> =>
  fc.tuple(number(max), number(max), share).map(([one, other, part]) => ({
    low: Math.min(one, other),
    point: one + part * (other - one),
    high: Math.max(one, other),
  }));

const component = intervalUpTo(10).map((interval) => ({ ...interval, indicators: [] }));

const risk: fc.Arbitrary<Risk> = fc.record({
  score: intervalUpTo(100),
  base: number(100),
  dominance: number(75),
  captureRisk: fc.constantFrom(...RISK_LEVELS),
  whaleControlPct: number(100),
  activeVoterCount: fc.option(fc.nat(), { nil: undefined }),
  delegateCentralization: fc.constantFrom(...DELEGATE_CENTRALIZATIONS),
  proposalVelocity: fc.constantFrom(...PROPOSAL_VELOCITIES),
  proposalsPerMonth: number(40),
  checkpointVotingPct: fc.option(number(100), { nil: undefined }),
});

function participation(entityId: string): fc.Arbitrary<EntityParticipation> {
  const time = fc.option(fc.integer({ min: 0, max: AS_OF_MS }), { nil: undefined });
  return fc.record({
    entityId: fc.constant(entityId),
    proposalsVoted: fc.integer({ min: 1, max: 50 }),
    proposalsKnown: fc.integer({ min: 1, max: 50 }),
    proposalsUnknown: fc.nat(50),
    participationShare: fc.option(share, { nil: undefined }),
    participationEnds: fc.tuple(share, share).map(([one, other]) => between(one, other)),
    powerShare: fc.option(share, { nil: undefined }),
    firstVoteAtMs: time,
    lastVoteAtMs: time,
  });
}

function scoreAt(spaceId: string, asOfMs: number): fc.Arbitrary<DaoScore> {
  return fc
    .record({
      components: fc.record({ hpr: component, dei: component, pdi: component, gpi: component }),
      confidence: fc.constantFrom("high" as const, "low" as const),
      risk: fc.option(risk, { nil: undefined }),
      concentration: fc.option(
        fc.record({
          majorityVoters: intervalUpTo(50),
          hhiPoints: intervalUpTo(10_000),
          gini: intervalUpTo(1),
        }),
        { nil: undefined },
      ),
      completenessPct: number(100),
      indexWeight: share,
      knownShare: share,
      presence: fc.tuple(share, share),
      unscored: fc.oneof(
        { weight: 3, arbitrary: fc.constant(undefined) },
        {
          weight: 1,
          arbitrary: fc.constantFrom(
            "SPACE_FLAGGED" as const,
            "NO_PROPOSALS" as const,
            "TOO_LITTLE_KNOWN" as const,
          ),
        },
      ),
      notKnown: fc.subarray(INDICATORS.map(({ id }) => id)),
    })
    .map((score) => ({ ...score, spaceId, asOfMs, gvs: vitalityInterval(score.components) }));
}

/** Wallets come from a small pool, so that entities do hold delegated power; names are sometimes an entity's label. */
function ranking(atMs: number, labels: readonly string[]) {
  const ens = fc.oneof(
    fc.constant(undefined),
    fc.constantFrom("a.example", "b\u200B.example", "", ...labels),
    anyText(),
  );
  const delegate = fc.record({
    wallet: fc.integer({ min: 0, max: 400 }),
    votes: fc.oneof(fc.bigInt({ min: 0n, max: 3n }), fc.bigInt({ min: 0n, max: 10n ** 27n })),
    delegators: fc.nat({ max: 5000 }),
    ens,
  });
  return fc
    .tuple(
      fc.uniqueArray(delegate, { selector: ({ wallet }) => wallet, maxLength: 30 }),
      fc.constantFrom(0, 2, 18),
    )
    .map(([delegates, decimals]) =>
      rankingOf(
        delegates.map(({ ens: name, ...rest }) => (name === undefined ? rest : { ...rest, ens: name })),
        { atMs, decimals },
      ),
    );
}

function scoredDao(dao: TrackedDao, entities: readonly TrackedEntity[]): fc.Arbitrary<ScoredDao> {
  const ids = entities.map((entity) => entity.entityId);
  const labels = entities.map((entity) => entity.label);
  const days = [3, 2, 1, 0].map((ago) => AS_OF_MS - ago * DAY_MS);
  return fc.record({
    dao: fc.constant(dao),
    current: scoreAt(dao.spaceId, AS_OF_MS),
    evidence: fc.boolean().map((hasPower) => evidenceOf(dao.spaceId, AS_OF_MS, hasPower)),
    entities: fc
      .subarray([...ids])
      .chain((some) => fc.tuple(...some.map((entityId) => participation(entityId)))),
    otherEntities: fc.constant(undefined),
    gvsDayBefore: fc.option(number(10), { nil: undefined }),
    points: fc
      .tuple(...days.map((atMs) => scoreAt(dao.spaceId, atMs)))
      .map((scores) => scores.flatMap((score) => dailyPointOf(score) ?? [])),
    trend: fc.constantFrom(...TRENDS),
    latestDelegates: ranking(AS_OF_MS, labels),
    datedDelegates: fc.subarray(days).chain((atMs) => fc.tuple(...atMs.map((each) => ranking(each, labels)))),
  });
}

const label = fc
  .oneof(anyText({ minLength: 1 }), fc.constantFrom("Lantern Labs", "hush.example", "GMX"))
  .filter((text) => cleanText(text) !== "");

/** Entities with labels that differ also in lower case and wallets that are given once. */
const entities: fc.Arbitrary<TrackedEntity[]> = fc
  .uniqueArray(label, { selector: (text) => cleanText(text).toLowerCase(), maxLength: 14 })
  .chain((labels) =>
    fc.tuple(
      ...labels.map((text, index) =>
        fc.record({
          entityId: fc.constant(entityIdOf(`e${index}`)),
          label: fc.constant(text),
          wallets: fc
            .integer({ min: 1, max: 3 })
            .map((count) => Array.from({ length: count }, (_, each) => walletOf(3 * index + each))),
          isOptedOut: fc.boolean(),
        }),
      ),
    ),
  );

const trackedDaos: fc.Arbitrary<TrackedDao[]> = fc
  .array(fc.constantFrom(...CATEGORIES), { maxLength: 9 })
  .map((categories) =>
    categories.map((category, index) => ({
      spaceId: `dao-${index}.example`,
      name: `DAO ${index}`,
      category,
      governor: undefined,
    })),
  );

/** An index of all that have a point on a day, or a score now. */
function indexOf(daos: readonly ScoredDao[], atMs: number) {
  const scores = daos.flatMap(({ dao, current, points }) => {
    const point = atMs === AS_OF_MS ? dailyPointOf(current) : points.find(({ date }) => date === dayOf(atMs));
    return point === undefined ? [] : [{ ...current, spaceId: dao.spaceId, indexWeight: point.indexWeight }];
  });
  return scoreGovernanceIndex(scores, atMs);
}

/** Anything that scores, facts and registry may say about up to nine DAOs and fourteen entities. */
export const arbitraryInput: fc.Arbitrary<PublishedSetInput> = fc
  .tuple(trackedDaos, entities)
  .chain(([daos, tracked]) =>
    fc.tuple(
      fc.constant({ daos, entities: tracked }),
      fc.tuple(...daos.map((dao) => scoredDao(dao, tracked))),
    ),
  )
  .map(([registry, daos]) => ({
    asOfMs: AS_OF_MS,
    daos,
    registry,
    index: indexOf(daos, AS_OF_MS),
    indexHistory: [3, 2, 1, 0].flatMap((ago) => indexOf(daos, AS_OF_MS - ago * DAY_MS) ?? []),
  }));
