import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import type { Registry, TrackedEntity } from "../../../pipeline/facts/tracked.ts";
import type { EntityParticipation, Participation } from "../../../pipeline/score/components/entities.ts";
import type { Risk } from "../../../pipeline/score/components/risk.ts";
import { dailyPointOf } from "../../../pipeline/score/daily-point.ts";
import type { DaoEvidence } from "../../../pipeline/score/dao-evidence.ts";
import { type DelegateRanking, rankDelegates } from "../../../pipeline/score/delegates/rank-delegates.ts";
import type { Interval } from "../../../pipeline/score/method/marks.ts";
import type { DaoScore, UnscoredReason } from "../../../pipeline/score/score-measures.ts";
import { dayEndMs, dayOf } from "../../../snapshots/format/ids.ts";
import {
  byComponent,
  type Category,
  type ComponentKey,
  type Trend,
} from "../../../snapshots/format/value-sets.ts";
import { sampleMeasures } from "../score/sample-facts.ts";
import type { PublishedSetInput } from "./published-set.ts";

export const DAY_MS = 86_400_000;

/** The moment of every fixture here: a day that has just ended. */
export const AS_OF_MS = Date.parse("2026-03-31T23:59:59.999Z");

/** A fictional wallet, in lower case. */
export function walletOf(index: number): string {
  return `0x${index.toString(16).padStart(40, "0")}`;
}

/** A fictional entity id that ends in a name. */
export function entityIdOf(name: string): string {
  return `ent_${name.padEnd(26, "0")}`;
}

/** A number of which all is known. */
function known(point: number): Interval {
  return { low: point, point, high: point };
}

/** An ordinary risk of so many points. */
export function riskOf(score: number): Risk {
  return {
    score: known(score),
    base: score,
    dominance: 0,
    captureRisk: "high",
    whaleControlPct: 61.016,
    activeVoterCount: 208,
    delegateCentralization: "moderate",
    proposalVelocity: "low",
    proposalsPerMonth: 0.5,
    checkpointVotingPct: 3.104,
  };
}

/** What a test says about one score; the rest is ordinary. */
interface ScoreOptions {
  readonly spaceId?: string;
  readonly asOfMs?: number;
  readonly gvs?: number | Interval;
  readonly unscored?: UnscoredReason | undefined;
  readonly components?: Partial<Record<ComponentKey, number | Interval>>;
  readonly risk?: Risk | undefined;
  readonly completenessPct?: number | undefined;
  readonly notKnown?: DaoScore["notKnown"];
}

const intervalOf = (given: number | Interval): Interval => (typeof given === "number" ? known(given) : given);

/** The score of a DAO in which all four components are its gvs, 5 unless wished otherwise. */
export function daoScore(options: ScoreOptions = {}): DaoScore {
  const gvs = intervalOf(options.gvs ?? 5);
  return {
    spaceId: options.spaceId ?? "orchard",
    asOfMs: options.asOfMs ?? AS_OF_MS,
    components: byComponent((key) => ({ ...intervalOf(options.components?.[key] ?? gvs), indicators: [] })),
    gvs,
    knownShare: 1,
    presence: [1, 1],
    unscored: options.unscored,
    confidence: "high",
    risk: "risk" in options ? options.risk : riskOf(41.46),
    concentration: undefined,
    completenessPct: "completenessPct" in options ? options.completenessPct : 97.5,
    indexWeight: 1,
    notKnown: options.notKnown ?? [],
  };
}

/** A score of a DAO without proposals: nothing is known. */
export function noProposals(spaceId: string, asOfMs = AS_OF_MS): DaoScore {
  const nothing = { low: 0, point: Math.sqrt(11) - 1, high: 10 };
  return {
    ...daoScore({ spaceId, asOfMs, gvs: nothing, risk: undefined, completenessPct: undefined }),
    unscored: "NO_PROPOSALS",
    knownShare: 0,
    presence: [0, 0],
    indexWeight: 0,
  };
}

/** The evidence of one ballot, with power unless wished otherwise, of a DAO that was fetched at the moment itself. */
export function evidenceOf(spaceId: string, asOfMs: number, hasPower = true): DaoEvidence {
  const powerless = { power: undefined, concentration: undefined };
  const measures = sampleMeasures([{ endMs: asOfMs - DAY_MS, ...(hasPower ? {} : powerless) }]);
  return {
    measures: { ...measures, spaceId, asOfMs, fetchedAtMs: asOfMs, eligibleCount: 1 },
    proposals: [],
    links: {},
  };
}

/** What a test says about one DAO. */
export interface DaoOptions extends ScoreOptions {
  readonly name?: string;
  readonly category?: Category;
  readonly current?: DaoScore;
  readonly gvsDayBefore?: number | undefined;
  readonly entities?: readonly EntityParticipation[];
  /** Whether any power is known on a ballot. */
  readonly hasPower?: boolean;
  readonly points?: ScoredDao["points"];
  readonly trend?: Trend;
  readonly latestDelegates?: DelegateRanking;
  readonly datedDelegates?: ScoredDao["datedDelegates"];
}

/** An entity that never voted, with one known proposal. */
const OTHERS: Participation = {
  proposalsVoted: 0,
  proposalsKnown: 1,
  proposalsUnknown: 0,
  participationShare: 0,
  participationEnds: [0, 0],
};

/** A tracked DAO with everything that was computed about it; unchanged since the day before, without delegates. */
export function scoredDao(options: DaoOptions = {}): ScoredDao {
  const spaceId = options.spaceId ?? "orchard";
  const current = options.current ?? daoScore({ ...options, spaceId });
  return {
    dao: {
      spaceId,
      name: options.name ?? "Orchard",
      category: options.category ?? "defi",
      governor: undefined,
    },
    current,
    evidence: evidenceOf(spaceId, current.asOfMs, options.hasPower),
    entities: options.entities ?? [],
    otherEntities: OTHERS,
    gvsDayBefore: "gvsDayBefore" in options ? options.gvsDayBefore : current.gvs.point,
    points: options.points ?? [],
    trend: options.trend ?? "stable",
    latestDelegates: options.latestDelegates,
    datedDelegates: options.datedDelegates ?? [],
  };
}

/** Points of days; a day without a score has none. */
export function pointsOf(
  spaceId: string,
  scores: Readonly<Record<string, number | UnscoredReason>>,
): ScoredDao["points"] {
  return Object.entries(scores).flatMap(([date, given]) => {
    const said = typeof given === "number" ? { gvs: given } : { unscored: given };
    return dailyPointOf(daoScore({ spaceId, asOfMs: dayEndMs(date), ...said })) ?? [];
  });
}

/** One delegate of a ranking: votes in the smallest unit. */
export interface DelegateOptions {
  readonly wallet: number;
  readonly votes: bigint;
  readonly delegators?: number;
  readonly ens?: string;
}

/** A ranking of the day of `atMs`, two decimals unless wished otherwise. */
export function rankingOf(
  delegates: readonly DelegateOptions[],
  { atMs = AS_OF_MS, decimals = 2 }: { readonly atMs?: number; readonly decimals?: number } = {},
): DelegateRanking & { readonly date: string } {
  const date = dayOf(atMs);
  return {
    ...rankDelegates({
      date,
      asOfMs: atMs,
      fetchedAtMs: atMs + 3_600_000,
      decimals,
      delegates: delegates.map(({ wallet, votes, delegators, ens }) => ({
        address: walletOf(wallet),
        votes,
        delegatorsCount: delegators ?? 1,
        ens,
      })),
    }),
    date,
  };
}

/** How an entity took part: half of the attention, a tenth of the power, unless wished otherwise. */
export function participationOf(
  name: string,
  options: Partial<EntityParticipation> = {},
): EntityParticipation {
  return {
    entityId: entityIdOf(name),
    proposalsVoted: 3,
    proposalsKnown: 20,
    proposalsUnknown: 0,
    participationShare: 0.5,
    participationEnds: [0.5, 0.5],
    powerShare: 0.1,
    firstVoteAtMs: undefined,
    lastVoteAtMs: undefined,
    ...options,
  };
}

/** An entity of the registry, labelled by its name. */
export function entityOf(name: string, options: Partial<TrackedEntity> = {}): TrackedEntity {
  return { entityId: entityIdOf(name), label: name, wallets: [walletOf(1)], isOptedOut: false, ...options };
}

/** Input of a whole set, of the fixture's moment, without an index. */
export function setInput(
  daos: readonly ScoredDao[],
  entities: Registry["entities"] = [],
  rest: Partial<PublishedSetInput> = {},
): PublishedSetInput {
  return {
    asOfMs: AS_OF_MS,
    daos,
    registry: { daos: daos.map(({ dao }) => dao), entities },
    index: undefined,
    indexHistory: [],
    ...rest,
  };
}

/**
 * A small, plainly fictional world: `tidewater` and `orchard` have scores (the second without a risk), `quiet-reef` lacks
 * power, `ghost-ship` proposals. Lantern delegates in two DAOs, Lighthouse opted out and is tidewater's first delegate.
 */
export function smallWorld(): PublishedSetInput {
  const lighthouse = entityOf("lighthouse", {
    label: "Lighthouse",
    wallets: [walletOf(9)],
    isOptedOut: true,
  });
  const lantern = entityOf("lantern", { label: "Lantern Labs", wallets: [walletOf(5), walletOf(2)] });
  const tidewater = scoredDao({
    spaceId: "tidewater",
    name: "Tidewater",
    current: daoScore({
      spaceId: "tidewater",
      gvs: 7.254,
      components: { hpr: 7.996, dei: 5.994, pdi: { low: 0.5, point: 1.2345, high: 3 }, gpi: 10 },
    }),
    entities: [
      participationOf("lantern", {
        powerShare: 0.12345,
        firstVoteAtMs: AS_OF_MS - 9 * DAY_MS,
        lastVoteAtMs: AS_OF_MS - DAY_MS,
      }),
      participationOf("lighthouse", { powerShare: 0.4 }),
    ],
    gvsDayBefore: 7.5,
    points: pointsOf("tidewater", {
      "2026-03-29": "TOO_LITTLE_KNOWN",
      "2026-03-30": 7.4,
      "2026-03-31": 7.254,
    }),
    trend: "improving",
    latestDelegates: rankingOf([
      { wallet: 9, votes: 900_00n, delegators: 12, ens: "lighthouse.example" },
      { wallet: 2, votes: 99_50n, delegators: 2, ens: "lantern.example" },
      { wallet: 7, votes: 50n },
    ]),
    datedDelegates: [
      rankingOf([{ wallet: 9, votes: 1n, ens: "lighthouse.example" }], { atMs: AS_OF_MS - DAY_MS }),
    ],
  });
  const orchard = scoredDao({
    spaceId: "orchard",
    category: "public_goods",
    gvs: 3.005,
    risk: undefined,
  });
  const quietReef = scoredDao({
    spaceId: "quiet-reef",
    name: "Quiet Reef",
    category: "social",
    gvs: { low: 1, point: 3.2, high: 8.1 },
    unscored: "TOO_LITTLE_KNOWN",
    components: { hpr: 2.499, dei: { low: 0, point: 2.317, high: 10 } },
    notKnown: ["effective", "majority", "top"],
    hasPower: false,
    risk: undefined,
    completenessPct: 88.888,
    latestDelegates: rankingOf([{ wallet: 5, votes: 10n }]),
  });
  const ghostShip = scoredDao({
    spaceId: "ghost-ship",
    name: "Ghost Ship",
    category: "infrastructure",
    current: noProposals("ghost-ship"),
  });
  return setInput([tidewater, quietReef, ghostShip, orchard], [lighthouse, lantern]);
}
