/** What a DAO is for, as its registry entry says. */
export const CATEGORIES = ["defi", "infrastructure", "public_goods", "social"] as const;
export type Category = (typeof CATEGORIES)[number];

/** The four components of the GVS, in the order they are published. */
export const COMPONENT_KEYS = ["hpr", "dei", "pdi", "gpi"] as const;
export type ComponentKey = (typeof COMPONENT_KEYS)[number];

/** `high` with at least 20 eligible proposals, else `low`. */
export const CONFIDENCES = ["high", "low"] as const;
export type Confidence = (typeof CONFIDENCES)[number];

/** Words for a rounded score, best first. */
export const COMPONENT_LABELS = ["Excellent", "Strong", "Moderate", "Weak", "Critical"] as const;
export type ComponentLabel = (typeof COMPONENT_LABELS)[number];

/** Words for a level of risk, best first; capture and delegate levels use the same four. */
export const RISK_LEVELS = ["low", "moderate", "high", "critical"] as const;
export type RiskLevel = (typeof RISK_LEVELS)[number];

/** `unknown` where there is no complete delegation data of the last 45 days. */
export const DELEGATE_CENTRALIZATIONS = [...RISK_LEVELS, "unknown"] as const;
export type DelegateCentralization = (typeof DELEGATE_CENTRALIZATIONS)[number];

/** Proposals a month in words, slowest first. */
export const PROPOSAL_VELOCITIES = ["dormant", "low", "moderate", "high", "very_high"] as const;
export type ProposalVelocity = (typeof PROPOSAL_VELOCITIES)[number];

/** Where the daily risk scores of the last 30 days are heading. */
export const TRENDS = ["improving", "stable", "declining"] as const;
export type Trend = (typeof TRENDS)[number];

/** Weight tiers of delegates, heaviest first. */
export const WEIGHT_TIERS = ["T1", "T2", "T3"] as const;
export type WeightTier = (typeof WEIGHT_TIERS)[number];

/** Spacing of the values in a DAO's history. */
export const HISTORY_INTERVALS = ["daily"] as const;

/** Periods a caller may ask DGI history for, shortest first. */
export const DGI_PERIODS = ["30d", "90d", "365d"] as const;
export type DgiPeriod = (typeof DGI_PERIODS)[number];

/** Tiers of API accounts, lowest first: a higher one may do all that a lower one may. */
export const ACCESS_TIERS = ["free", "pro", "enterprise"] as const;
export type AccessTier = (typeof ACCESS_TIERS)[number];
