import { z } from "zod";
import { DaoDetail, DaoList, Dgi, DgiHistory, RiskAssessment, ScoreIntervals } from "./dao.ts";
import { DelegateListing } from "./delegates.ts";
import { Entity } from "./entity.ts";
import type { Evidence } from "./evidence.ts";
import {
  Count,
  IndicatorId,
  MethodologyVersion,
  Rank,
  ReasonCode,
  RISK_DECIMALS,
  RoundedShare,
  roundTo,
  SCORE_DECIMALS,
  SpaceId,
  Timestamp,
} from "./ids.ts";
import type { ComponentKey } from "./value-sets.ts";

/** `meta` of every 200: which method, and as of when (of a dated listing, the end of its day). */
export const Meta = z.strictObject({ methodology_version: MethodologyVersion, as_of: Timestamp });
export type Meta = z.infer<typeof Meta>;

/** How far the scores of one DAO are known. */
export const Certainty = z.strictObject({
  interval: ScoreIntervals,
  known_share: RoundedShare,
  /** Between which ranks the intervals of all DAOs allow it to stand. */
  rank_range: z.tuple([Rank, Rank]),
  presence: z.tuple([RoundedShare, RoundedShare]),
  /** Indicators of which nothing is known. */
  not_known: z.array(IndicatorId),
});
export type Certainty = z.infer<typeof Certainty>;

/** Between which ends the scores of a listed DAO lie: without risk, which not every caller of the list may see. */
export const ListedIntervals = ScoreIntervals.omit({ risk: true });

/** How far the scores of a listed DAO are known. */
export const ListedCertainty = z.strictObject({ ...Certainty.shape, interval: ListedIntervals });

/** `meta` of DAO detail and risk; how far they are known only where the version holds evidence. */
export const ScoreMeta = z.strictObject({ ...Meta.shape, ...Certainty.partial().shape });
export type ScoreMeta = z.infer<typeof ScoreMeta>;

/** `meta` of the list of DAOs: `total` counts the items in `data`, after the filter. */
export const ListMeta = z.strictObject({
  ...Meta.shape,
  total: Count,
  updated_at: Timestamp,
  /** Absent in versions of methods before 2.0. */
  by_space_id: z.record(SpaceId, ListedCertainty).optional(),
});
export type ListMeta = z.infer<typeof ListMeta>;

interface Ends {
  readonly low: number;
  readonly high: number;
}

function roundedEnds({ low, high }: Ends, decimals = SCORE_DECIMALS): [number, number] {
  return [roundTo(low, decimals), roundTo(high, decimals)];
}

/** Between which ends the scores of a DAO lie, as they are published. */
export function intervalsOf({
  gvs,
  components,
  risk,
}: {
  readonly gvs: Ends;
  readonly components: Readonly<Record<ComponentKey, Ends>>;
  readonly risk: Ends | null;
}): ScoreIntervals {
  const { hpr, dei, pdi, gpi } = components;
  return {
    gvs: roundedEnds(gvs),
    hpr: roundedEnds(hpr),
    dei: roundedEnds(dei),
    pdi: roundedEnds(pdi),
    gpi: roundedEnds(gpi),
    ...(risk === null ? {} : { risk: roundedEnds(risk, RISK_DECIMALS) }),
  };
}

/** What the evidence of a DAO says of how far its scores are known; nothing where it has none. */
export function certaintyOf(evidence: Evidence): Certainty | undefined {
  const { known_share, rank, presence, not_known } = evidence;
  if (rank === null) return undefined;
  return {
    interval: intervalsOf(evidence),
    known_share: roundTo(known_share, SCORE_DECIMALS),
    rank_range: [rank.best, rank.worst],
    presence: roundedEnds(presence),
    not_known: [...not_known],
  };
}

/** The error envelope, on every answer that is not a 200. */
export const ErrorEnvelope = z.strictObject({
  error: z.strictObject({ code: ReasonCode, message: z.string().min(1) }),
});
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>;

/** What the index keeps ready to send, and the whole envelope of each kind. */
export const ENVELOPES = {
  daos: z.strictObject({ data: DaoList, meta: ListMeta }),
  dao: z.strictObject({ data: DaoDetail, meta: ScoreMeta }),
  risk: z.strictObject({ data: RiskAssessment, meta: ScoreMeta }),
  dgi: z.strictObject({ data: Dgi, meta: Meta }),
  "dgi-history": z.strictObject({ data: DgiHistory, meta: Meta }),
  entity: z.strictObject({ data: Entity, meta: Meta }),
} as const;

/** `daos` is found by category (`all` without one), `dgi-history` by period, `dgi` by `current`, the rest by their id. */
export type DocumentKind = keyof typeof ENVELOPES;

/** The envelope of a delegate answer, which is cut from a listing on demand. */
export const DelegateEnvelope = z.strictObject({ data: DelegateListing, meta: Meta });
