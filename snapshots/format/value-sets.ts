/** Purposes of DAOs, as stated in the registry. */
export const CATEGORIES = ["defi", "infrastructure", "public_goods", "social"] as const;
export type Category = (typeof CATEGORIES)[number];

/** The four components of the GVS, in the order of publication. */
export const COMPONENT_KEYS = ["hpr", "dei", "pdi", "gpi"] as const;
export type ComponentKey = (typeof COMPONENT_KEYS)[number];

export function byComponent<Value>(make: (key: ComponentKey) => Value): Record<ComponentKey, Value> {
  return { hpr: make("hpr"), dei: make("dei"), pdi: make("pdi"), gpi: make("gpi") };
}

/** `high` with at least 20 eligible proposals, else `low`. */
export const CONFIDENCES = ["high", "low"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** Labels of a rounded score, best first. */
export const COMPONENT_LABELS = ["Excellent", "Strong", "Moderate", "Weak", "Critical"] as const;
export type ComponentLabel = (typeof COMPONENT_LABELS)[number];

/** Levels of risk, best first; capture and delegate levels use the same four. */
export const RISK_LEVELS = ["low", "moderate", "high", "critical"] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** `unknown` without complete delegation data of the last 45 days. */
export const DELEGATE_CENTRALIZATIONS = [...RISK_LEVELS, "unknown"] as const;
export type DelegateCentralization = (typeof DELEGATE_CENTRALIZATIONS)[number];

/** Levels of proposals per month, lowest first. */
export const PROPOSAL_VELOCITIES = ["dormant", "low", "moderate", "high", "very_high"] as const;
export type ProposalVelocity = (typeof PROPOSAL_VELOCITIES)[number];

export const TRENDS = ["improving", "stable", "declining"] as const;
export type Trend = (typeof TRENDS)[number];

/** What each trend says of the risk; the trend itself is named after how the DAO fares. */
export const TREND_WORDS: Readonly<Record<Trend, string>> = {
  improving: "falling",
  stable: "no clear trend",
  declining: "rising",
};

/** Weight tiers of delegates, heaviest first. */
export const WEIGHT_TIERS = ["T1", "T2", "T3"] as const;
export type WeightTier = (typeof WEIGHT_TIERS)[number];

export const HISTORY_INTERVALS = ["daily"] as const;

/** Periods a caller may ask DGI history for, shortest first. */
export const DGI_PERIODS = ["30d", "90d", "365d"] as const;
export type DgiPeriod = (typeof DGI_PERIODS)[number];

interface TierRow {
  readonly name: string;
  /** What it gives access to, for callers. */
  readonly access: string;
  /** Requests per UTC day. */
  readonly dailyRequests: number;
  readonly mayHaveOwnLimit: boolean;
}

/** Tiers of API accounts, lowest first: a higher tier includes all rights of the lower ones. To add one, add a row. */
export const TIERS = {
  free: {
    name: "Free",
    access: "the list of DAOs, the index and its history, the first 10 delegates",
    dailyRequests: 100,
    mayHaveOwnLimit: false,
  },
  pro: {
    name: "Pro",
    access: "all of Free, plus detail, risk, up to 100 delegates, past days, entities",
    dailyRequests: 10_000,
    mayHaveOwnLimit: false,
  },
  enterprise: { name: "Enterprise", access: "all of Pro", dailyRequests: 100_000, mayHaveOwnLimit: true },
} as const satisfies Readonly<Record<string, TierRow>>;

export type AccessTier = keyof typeof TIERS;
export const ACCESS_TIERS = Object.keys(TIERS) as [AccessTier, ...AccessTier[]];

/** A value per tier, so that none is left out. */
export function byTier<Value>(make: (tier: AccessTier) => Value): Readonly<Record<AccessTier, Value>> {
  return Object.fromEntries(ACCESS_TIERS.map((tier) => [tier, make(tier)])) as Record<AccessTier, Value>;
}

/** Lowest rounded score (0–10) that earns each label. */
export const LABEL_CUTS: readonly { readonly label: ComponentLabel; readonly from: number }[] = [
  { label: "Excellent", from: 8 },
  { label: "Strong", from: 6 },
  { label: "Moderate", from: 4 },
  { label: "Weak", from: 2 },
  { label: "Critical", from: 0 },
];

/** Rounded risk score (0–100) below which each level ends; `critical` has no upper end. */
export const RISK_LEVEL_CUTS: readonly { readonly level: RiskLevel; readonly below: number }[] = [
  { level: "low", below: 25 },
  { level: "moderate", below: 50 },
  { level: "high", below: 75 },
];

/** Median K (the fewest voters who together hold more than half) up to which capture risk has each level. */
export const CAPTURE_CUTS: readonly { readonly level: RiskLevel; readonly upToK: number }[] = [
  { level: "critical", upToK: 1 },
  { level: "high", upToK: 3 },
  { level: "moderate", upToK: 9 },
];

/** HHI points of delegated power below which each level ends (US merger guidelines, 1992 and 2010). */
export const DELEGATE_HHI_CUTS: readonly { readonly level: RiskLevel; readonly below: number }[] = [
  { level: "low", below: 1000 },
  { level: "moderate", below: 1800 },
  { level: "high", below: 2500 },
];

/** Proposals (Σω) per month below which each velocity ends; exactly 0 is `dormant`. */
export const VELOCITY_CUTS: readonly {
  readonly velocity: ProposalVelocity;
  readonly below: number;
}[] = [
  { velocity: "low", below: 1 },
  { velocity: "moderate", below: 8 },
  { velocity: "high", below: 20 },
];

/** A delegate is in a tier if votes × `times` ≥ total; all others are in T3. */
export const WEIGHT_TIER_CUTS: readonly { readonly tier: WeightTier; readonly times: bigint }[] = [
  { tier: "T1", times: 100n },
  { tier: "T2", times: 1000n },
];

export function labelOf(roundedScore: number): ComponentLabel {
  return LABEL_CUTS.find((cut) => roundedScore >= cut.from)?.label ?? "Critical";
}

/** The score that decides the label: the point of an interval nearest to 5, so that no label rests on missing data. */
export function labelledPoints({ low, high }: { readonly low: number; readonly high: number }): number {
  return Math.min(Math.max(5, low), high);
}

export function riskLevelOf(roundedRisk: number): RiskLevel {
  return RISK_LEVEL_CUTS.find((cut) => roundedRisk < cut.below)?.level ?? "critical";
}

export function captureRiskOf(medianK: number): RiskLevel {
  return CAPTURE_CUTS.find((cut) => medianK <= cut.upToK)?.level ?? "low";
}

/** Concentration level of delegated power, from HHI points (0–10,000). */
export function delegateCentralizationOf(hhiPoints: number): RiskLevel {
  return DELEGATE_HHI_CUTS.find((cut) => hhiPoints < cut.below)?.level ?? "critical";
}

/** Velocity level of a number of proposals (Σω) per month. */
export function velocityOf(proposalsPerMonth: number): ProposalVelocity {
  if (proposalsPerMonth === 0) return "dormant";
  return VELOCITY_CUTS.find((cut) => proposalsPerMonth < cut.below)?.velocity ?? "very_high";
}

/** Tier of a delegate; both numbers in the token's smallest unit. */
export function weightTierOf(votes: bigint, total: bigint): WeightTier {
  return WEIGHT_TIER_CUTS.find((cut) => votes * cut.times >= total)?.tier ?? "T3";
}
