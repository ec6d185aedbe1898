import type { PublishedSetInput } from "../../../pipeline/documents/build-published-set.ts";
import type { ScoredDao } from "../../../pipeline/documents/scored-dao.ts";
import type { Registry, TrackedEntity } from "../../../pipeline/facts/tracked.ts";
import { dailyPointOf } from "../../../pipeline/score/daily-point.ts";
import type { DelegateRanking } from "../../../pipeline/score/delegates/rank-delegates.ts";
import { rankDelegates } from "../../../pipeline/score/delegates/rank-delegates.ts";
import type { DaoScore, EntityParticipation, RiskOrGap } from "../../../pipeline/score/method/dao-score.ts";
import { gap, points, type ScoreOrGap } from "../../../pipeline/score/method/dao-score.ts";
import { dayEndMs, dayOf } from "../../../snapshots/format/ids.ts";
import type { Category, ComponentKey, Trend } from "../../../snapshots/format/value-sets.ts";

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

const RISK: RiskOrGap = {
  kind: "risk",
  score: 41.46,
  captureRisk: "high",
  whaleControlPct: 61.016,
  activeVoterCount: 208,
  delegateCentralization: "moderate",
  proposalVelocity: "low",
  checkpointVotingPct: 3.104,
};

/** What a test says about one score; the rest is ordinary. */
export interface ScoreOptions {
  readonly spaceId?: string;
  readonly asOfMs?: number;
  readonly gvs?: number | ScoreOrGap;
  readonly components?: Partial<Record<ComponentKey, ScoreOrGap>>;
  readonly risk?: RiskOrGap;
  readonly completenessPct?: number | undefined;
  readonly entities?: readonly EntityParticipation[];
}

/** The score of a DAO in which all four components are its gvs, 5 unless wished otherwise. */
export function daoScore(options: ScoreOptions = {}): DaoScore {
  const gvs = typeof options.gvs === "object" ? options.gvs : points(options.gvs ?? 5);
  const same = gvs.kind === "score" ? gvs : points(5);
  return {
    spaceId: options.spaceId ?? "orchard",
    asOfMs: options.asOfMs ?? AS_OF_MS,
    components: { hpr: same, dei: same, pdi: same, gpi: same, ...options.components },
    gvs,
    confidence: "high",
    risk: options.risk ?? RISK,
    completenessPct: "completenessPct" in options ? options.completenessPct : 97.5,
    attentionSum: 20,
    entities: options.entities ?? [],
  };
}

/** A score of a DAO without enough data: nothing could be computed. */
export function noProposals(spaceId: string, asOfMs = AS_OF_MS): DaoScore {
  const none = gap("NO_PROPOSALS");
  return daoScore({
    spaceId,
    asOfMs,
    gvs: none,
    components: { hpr: none, dei: none, pdi: none, gpi: none },
    risk: { kind: "gap", reason: "NO_PROPOSALS" },
    completenessPct: undefined,
  });
}

/** What a test says about one DAO. */
export interface DaoOptions extends ScoreOptions {
  readonly name?: string;
  readonly category?: Category;
  readonly current?: DaoScore;
  readonly dayBefore?: DaoScore;
  readonly points?: ScoredDao["points"];
  readonly trend?: Trend;
  readonly latestDelegates?: DelegateRanking;
  readonly datedDelegates?: ScoredDao["datedDelegates"];
}

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
    dayBefore: options.dayBefore ?? { ...current, asOfMs: current.asOfMs - DAY_MS },
    points: options.points ?? [],
    trend: options.trend ?? "stable",
    latestDelegates: options.latestDelegates,
    datedDelegates: options.datedDelegates ?? [],
  };
}

/** Points of days; a gap is none. */
export function pointsOf(
  spaceId: string,
  scores: Readonly<Record<string, number | ScoreOrGap>>,
): ScoredDao["points"] {
  return Object.entries(scores).flatMap(
    ([date, gvs]) => dailyPointOf(daoScore({ spaceId, asOfMs: dayEndMs(date), gvs })) ?? [],
  );
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
    participationShare: 0.5,
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
    methodologyVersion: "1.0.0",
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
      components: { hpr: points(7.996), dei: points(5.994), pdi: points(1.2345), gpi: points(10) },
      entities: [
        participationOf("lantern", {
          powerShare: 0.12345,
          firstVoteAtMs: AS_OF_MS - 9 * DAY_MS,
          lastVoteAtMs: AS_OF_MS - DAY_MS,
        }),
        participationOf("lighthouse", { powerShare: 0.4 }),
      ],
    }),
    dayBefore: daoScore({ spaceId: "tidewater", gvs: 7.5, asOfMs: AS_OF_MS - DAY_MS }),
    points: pointsOf("tidewater", {
      "2026-03-29": gap("COMPONENT_GAP"),
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
    risk: { kind: "gap", reason: "ACTIVE_VOTERS_UNKNOWN" },
  });
  const quietReef = scoredDao({
    spaceId: "quiet-reef",
    name: "Quiet Reef",
    category: "social",
    gvs: gap("COMPONENT_GAP"),
    components: { hpr: points(2.499), dei: gap("POWER_UNKNOWN"), gpi: gap("PROCESS_UNKNOWN") },
    risk: { kind: "gap", reason: "POWER_UNKNOWN" },
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
