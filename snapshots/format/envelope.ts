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
export const Meta = z
  .strictObject({
    methodology_version: MethodologyVersion.describe("Version of the method that made the numbers."),
    as_of: Timestamp.describe("The moment the data stands for; of a dated listing, the end of its day."),
  })
  .meta({ id: "Meta", description: "`meta` of every 200." });
export type Meta = z.infer<typeof Meta>;

const INTERVAL_WORDS = "Between which ends the scores lie.";

/** How far the scores of one DAO are known. */
export const Certainty = z.strictObject({
  interval: ScoreIntervals.describe(INTERVAL_WORDS),
  known_share: RoundedShare.describe("How much of the score is known."),
  rank_range: z.tuple([Rank, Rank]).describe("Best and worst rank that the intervals of all DAOs allow."),
  presence: z
    .tuple([RoundedShare, RoundedShare])
    .describe("Whether the DAO votes at all, now; it multiplies all components. Low and high end."),
  not_known: z.array(IndicatorId).describe("Indicators of which nothing is known."),
});
export type Certainty = z.infer<typeof Certainty>;

/** Between which ends the scores of a listed DAO lie: without risk, which not every caller of the list may see. */
export const ListedIntervals = ScoreIntervals.omit({ risk: true }).meta({
  id: "ListedIntervals",
  description: "Between which ends the scores of one listed DAO lie.",
});

/** How far the scores of a listed DAO are known. */
export const ListedCertainty = z
  .strictObject({ ...Certainty.shape, interval: ListedIntervals.describe(INTERVAL_WORDS) })
  .meta({ id: "ListedCertainty", description: "How far the scores of one listed DAO are known." });

/** How far a DAO is known, as documents show it: an invented one, of which two indicators are not known. */
const CERTAINTY_EXAMPLE = {
  known_share: 0.86,
  rank_range: [3, 8],
  presence: [1, 1],
  not_known: ["rationale", "not_batch"],
};
const INTERVAL_EXAMPLE = {
  gvs: [6.12, 7.06],
  hpr: [8.16, 8.72],
  dei: [4.02, 4.6],
  pdi: [5.31, 7.33],
  gpi: [7.49, 9.18],
};
const META_EXAMPLE = { methodology_version: "2.0.0", as_of: "2026-10-31T23:59:59.999Z" };

const UndatedMeta = { ...Meta.shape, as_of: Timestamp.describe("The moment the data stands for.") };

/** `meta` of DAO detail and risk; how far they are known only where the version holds evidence. */
export const ScoreMeta = z.strictObject({ ...UndatedMeta, ...Certainty.partial().shape }).meta({
  id: "ScoreMeta",
  description: "`meta` of DAO detail and risk: how far the scores are known, where the version says so.",
  examples: [
    { ...META_EXAMPLE, interval: { ...INTERVAL_EXAMPLE, risk: [41.7, 49.3] }, ...CERTAINTY_EXAMPLE },
  ],
});
export type ScoreMeta = z.infer<typeof ScoreMeta>;

/** `meta` of the list of DAOs: `total` counts the items in `data`, after the filter. */
export const ListMeta = z
  .strictObject({
    ...UndatedMeta,
    total: Count.describe("Items in `data`, after the filter."),
    updated_at: Timestamp.describe("When the list was last calculated."),
    /** Absent in versions of methods before 2.0. */
    by_space_id: z
      .record(SpaceId, ListedCertainty)
      .optional()
      .describe("How far the scores of each listed DAO are known."),
  })
  .meta({
    id: "ListMeta",
    description: "`meta` of the list of DAOs.",
    examples: [
      {
        ...META_EXAMPLE,
        total: 1,
        updated_at: META_EXAMPLE.as_of,
        by_space_id: { "copper-kettle.example": { interval: INTERVAL_EXAMPLE, ...CERTAINTY_EXAMPLE } },
      },
    ],
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

const envelope = <Data extends z.ZodType, About extends z.ZodType>(
  words: { readonly id: string; readonly description: string },
  data: Data,
  meta: About,
) =>
  z
    .strictObject({
      data: data.describe("What was asked for."),
      meta: meta.describe("Which method, and as of when."),
    })
    .meta(words);

/** What the index keeps ready to send, and the whole envelope of each kind. */
export const ENVELOPES = {
  daos: envelope({ id: "DaoListAnswer", description: "The list of DAOs." }, DaoList, ListMeta),
  dao: envelope({ id: "DaoDetailAnswer", description: "One DAO in detail." }, DaoDetail, ScoreMeta),
  risk: envelope(
    { id: "RiskAnswer", description: "The risk assessment of one DAO." },
    RiskAssessment,
    ScoreMeta,
  ),
  dgi: envelope({ id: "DgiAnswer", description: "The Decentralized Governance Index." }, Dgi, Meta),
  "dgi-history": envelope({ id: "DgiHistoryAnswer", description: "The index day by day." }, DgiHistory, Meta),
  entity: envelope({ id: "EntityAnswer", description: "One entity." }, Entity, Meta),
} as const;

/** `daos` is found by category (`all` without one), `dgi-history` by period, `dgi` by `current`, the rest by their id. */
export type DocumentKind = keyof typeof ENVELOPES;

/** The envelope of a delegate answer, which is cut from a listing on demand. */
export const DelegateEnvelope = envelope(
  { id: "DelegateListingAnswer", description: "The delegates of one DAO." },
  DelegateListing,
  Meta,
);
