export { Concentration } from "./concentration.ts";
export {
  Components,
  DaoDetail,
  DaoHistory,
  DaoList,
  DaoSummary,
  Dgi,
  DgiHistory,
  DgiPoint,
  HistoryPoint,
  IndexIntervals,
  LabelledComponents,
  PublishedDgi,
  RiskAssessment,
  ScoreIntervals,
  ServedDao,
  ServedDgiHistory,
  TopEntity,
  UnscoredDao,
  UnscoredList,
  UnscoredReason,
} from "./dao.ts";
export { DataPackage, TableSchema } from "./data-package.ts";
export {
  DelegateDay,
  DelegateItem,
  DelegateListing,
  DelegateSummary,
  DelegationGraph,
  FoldedDelegation,
  GraphDelegate,
  NamedDelegation,
  OtherDelegates,
} from "./delegates.ts";
export { DaoParticipation, Entity } from "./entity.ts";
export type { DocumentKind } from "./envelope.ts";
export {
  Certainty,
  DaoMeta,
  DelegateEnvelope,
  ENVELOPES,
  ErrorEnvelope,
  IndexMeta,
  ListedCertainty,
  ListedIntervals,
  ListMeta,
  Meta,
  ScoreMeta,
} from "./envelope.ts";
export { ComponentEvidence, DaoLinks, Evidence, IndicatorRow, Interval, WholeMeasures } from "./evidence.ts";
export {
  Count,
  EntityId,
  IndicatorId,
  IsoDate,
  MethodologyVersion,
  Percent,
  Rank,
  ReasonCode,
  RiskScore,
  RoundedShare,
  Score,
  ScoreDelta,
  SpaceId,
  Timestamp,
  VersionName,
} from "./ids.ts";
export { Correction, CorrectionList } from "./imprint.ts";
export type { DelegateLimit } from "./limits.ts";
export { DAILY_REQUESTS, DELEGATE_LIMITS, FORMAT_VERSION } from "./limits.ts";
export {
  DeploymentName,
  Finding,
  Manifest,
  ManifestFile,
  ManifestSource,
  NameLookups,
  Pointer,
  RejectedRow,
  RunReport,
  SourceTraffic,
  SpaceFetch,
} from "./manifest.ts";
export { PATHS } from "./paths.ts";
export type { MarkId, ProposalPlace } from "./proposal-line.ts";
export { MARK_IDS, MeasureColumns, PROPOSAL_PLACES, ProposalLine } from "./proposal-line.ts";
export { Ranking, Rankings } from "./rankings.ts";
export { PlainText, PublicLink, PublicSentences, PublicText, PublicTitle } from "./text.ts";
export type {
  AccessTier,
  Category,
  ComponentKey,
  ComponentLabel,
  Confidence,
  DelegateCentralization,
  DgiPeriod,
  ProposalVelocity,
  RiskLevel,
  Trend,
  WeightTier,
} from "./value-sets.ts";
export {
  ACCESS_TIERS,
  CATEGORIES,
  COMPONENT_KEYS,
  COMPONENT_LABELS,
  CONFIDENCES,
  DELEGATE_CENTRALIZATIONS,
  DGI_PERIODS,
  HISTORY_INTERVALS,
  PROPOSAL_VELOCITIES,
  RISK_LEVELS,
  TRENDS,
  WEIGHT_TIERS,
} from "./value-sets.ts";

/**
 * `govdata/format`, for other programs: the zod shapes and types of every published file and API response, their value
 * sets, and the paths of files. It runs wherever zod does, browsers included. Names exported here stay as long as the
 * format does.
 */
