/**
 * `govdata/format`, for programs of others: the zod shapes of every published file and every answer of the API with
 * their types, the words they use, and where a file lies. It runs wherever zod does, in a browser too. A name that
 * stands here stays while the format does.
 */
export { Components, LabelledComponents } from "./components.ts";
export { DaoDetail, DaoList, DaoSummary, TopEntity } from "./dao.ts";
export { DataPackage, TableSchema } from "./data-package.ts";
export { DelegateDay } from "./delegate-day.ts";
export { DelegateItem, DelegateListing, DelegateSummary } from "./delegates.ts";
export {
  DelegationGraph,
  FoldedDelegation,
  GraphDelegate,
  NamedDelegation,
  OtherDelegates,
} from "./delegation-graph.ts";
export { Dgi, DgiHistory, DgiPoint } from "./dgi.ts";
export { DaoParticipation, Entity } from "./entity.ts";
export { DelegateEnvelope, type DocumentKind, ENVELOPES, ErrorEnvelope, ListMeta, Meta } from "./envelope.ts";
export { ComponentEvidence, Evidence, IndicatorRow, Outcome } from "./evidence.ts";
export { DaoHistory, HistoryPoint } from "./history.ts";
export { EntityId, IsoDate, MethodologyVersion, ReasonCode, SpaceId, Timestamp, VersionName } from "./ids.ts";
export { DAILY_REQUESTS, DELEGATE_LIMITS, type DelegateLimit, FORMAT_VERSION } from "./limits.ts";
export { Manifest, ManifestFile, ManifestSource, Pointer } from "./manifest.ts";
export { Count, Percent, Rank, RiskScore, Score, ScoreDelta } from "./numbers.ts";
export { PATHS } from "./paths.ts";
export { MeasureColumns, PROPOSAL_PLACES, ProposalLine, type ProposalPlace } from "./proposal-line.ts";
export { RiskAssessment } from "./risk.ts";
export { Finding, NameLookups, RejectedRow, RunReport, SourceTraffic, SpaceFetch } from "./run-report.ts";
export { PlainText, PublicText } from "./text.ts";
export { UnscoredDao, UnscoredList, UnscoredReason } from "./unscored.ts";
export {
  ACCESS_TIERS,
  type AccessTier,
  CATEGORIES,
  type Category,
  COMPONENT_KEYS,
  COMPONENT_LABELS,
  CONFIDENCES,
  type ComponentKey,
  type ComponentLabel,
  type Confidence,
  DELEGATE_CENTRALIZATIONS,
  type DelegateCentralization,
  DGI_PERIODS,
  type DgiPeriod,
  HISTORY_INTERVALS,
  PROPOSAL_VELOCITIES,
  type ProposalVelocity,
  RISK_LEVELS,
  type RiskLevel,
  TRENDS,
  type Trend,
  WEIGHT_TIERS,
  type WeightTier,
} from "./value-sets.ts";
export { WholeMeasures } from "./whole-measures.ts";
