import { z } from "zod";
import { Components, LabelledComponents } from "../../snapshots/format/components.ts";
import { DaoDetail, DaoSummary, TopEntity } from "../../snapshots/format/dao.ts";
import { DelegateItem, DelegateListing, DelegateSummary } from "../../snapshots/format/delegates.ts";
import { Dgi, DgiHistory, DgiPoint } from "../../snapshots/format/dgi.ts";
import { DaoParticipation, Entity } from "../../snapshots/format/entity.ts";
import { DelegateEnvelope, ENVELOPES, ListMeta, Meta } from "../../snapshots/format/envelope.ts";
import {
  EntityId,
  IsoDate,
  MethodologyVersion,
  ReasonCode,
  SpaceId,
  Timestamp,
  VersionName,
  WalletAddress,
} from "../../snapshots/format/ids.ts";
import { Count, Percent, Rank, RiskScore, Score, ScoreDelta } from "../../snapshots/format/numbers.ts";
import { RiskAssessment } from "../../snapshots/format/risk.ts";
import { PublicText } from "../../snapshots/format/text.ts";
import type { ShownReadiness } from "../snapshot/withheld-entities.ts";

const Readiness = z.strictObject({
  status: z.enum(["ready", "degraded", "unavailable"]),
  reason: ReasonCode.exactOptional(),
  refused_version: VersionName.exactOptional(),
  version: VersionName.exactOptional(),
  sequence: z.int().min(1).exactOptional(),
  as_of: Timestamp.exactOptional(),
  published_at: Timestamp.exactOptional(),
  entities: z.literal("withheld").exactOptional(),
}) satisfies z.ZodType<ShownReadiness["body"]>;

/** Every shape that has a name in the OpenAPI document: the very ones that published files are checked against. */
export const ANSWER_SHAPES = {
  DaoListAnswer: ENVELOPES.daos,
  DaoDetailAnswer: ENVELOPES.dao,
  RiskAnswer: ENVELOPES.risk,
  DelegateListingAnswer: DelegateEnvelope,
  DgiAnswer: ENVELOPES.dgi,
  DgiHistoryAnswer: ENVELOPES["dgi-history"],
  EntityAnswer: ENVELOPES.entity,
  Liveness: z.strictObject({ status: z.literal("alive") }),
  Ready: Readiness.extend({ status: z.enum(["ready", "degraded"]) }),
  Unready: Readiness.extend({ status: z.literal("unavailable") }),
  Meta,
  ListMeta,
  DaoSummary,
  DaoDetail,
  DaoRankings: DaoDetail.shape.rankings,
  OverallRanking: DaoDetail.shape.rankings.shape.overall,
  CategoryRanking: DaoDetail.shape.rankings.shape.category,
  DaoScoreHistory: DaoDetail.shape.history,
  TopEntity,
  Components,
  LabelledComponents,
  LabelledScore: LabelledComponents.shape.hpr,
  RiskAssessment,
  RiskFactors: RiskAssessment.shape.factors,
  DelegateListing,
  DelegateItem,
  DelegateSummary,
  Dgi,
  DgiHistory,
  DgiPoint,
  Entity,
  DaoParticipation,
  SpaceId,
  EntityId,
  WalletAddress,
  Date: IsoDate,
  Timestamp,
  VersionName,
  MethodologyVersion,
  ReasonCode,
  Text: PublicText,
  Score,
  ScoreDelta,
  Percent,
  RiskScore,
  Count,
  Rank,
} as const;
export type ShapeName = keyof typeof ANSWER_SHAPES;
