import { z } from "zod";
import { Concentration, roundedConcentration } from "./concentration.ts";
import {
  DaoDetail,
  DaoList,
  Dgi,
  IndexIntervals,
  RiskAssessment,
  ScoreIntervals,
  ServedDao,
  ServedDgiHistory,
  UnscoredReason,
} from "./dao.ts";
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
import type { Ranking } from "./rankings.ts";
import { byComponent, type ComponentKey } from "./value-sets.ts";

/** `meta` of every 200: version of the method and moment of the data (of a dated listing, the end of its day). */
export const Meta = z
  .strictObject({
    methodology_version: MethodologyVersion.describe("Version of the method that computed the numbers."),
    as_of: Timestamp.describe("The moment of the data; of a dated listing, the end of its day."),
  })
  .meta({ id: "Meta", description: "`meta` of every 200." });
export type Meta = z.infer<typeof Meta>;

const INTERVAL_DESCRIPTION = "Intervals that contain the scores.";

export const Certainty = z.strictObject({
  interval: ScoreIntervals.describe(INTERVAL_DESCRIPTION),
  known_share: RoundedShare.describe("How much of the score is known."),
  rank_range: z.tuple([Rank, Rank]).describe("Best and worst rank that the intervals of all DAOs allow."),
  presence: z
    .tuple([RoundedShare, RoundedShare])
    .describe("Low and high end of presence: whether the DAO still votes. It multiplies all components."),
  not_known: z.array(IndicatorId).describe("Indicators without any data."),
  concentration: Concentration.optional().describe("How concentrated cast power is, if any is known."),
});
export type Certainty = z.infer<typeof Certainty>;

/** Intervals of a listed DAO's scores, without risk, which not every caller of the list may see. */
export const ListedIntervals = ScoreIntervals.omit({ risk: true }).meta({
  id: "ListedIntervals",
  description: "Intervals that contain the scores of one listed DAO.",
});

export const ListedCertainty = Certainty.omit({ concentration: true })
  .extend({ interval: ListedIntervals.describe(INTERVAL_DESCRIPTION) })
  .meta({ id: "ListedCertainty", description: "How certain the scores of one listed DAO are." });

/** Example for the API document: an invented DAO with an unknown indicator. */
const CERTAINTY_EXAMPLE = {
  known_share: 0.94,
  rank_range: [3, 8],
  presence: [1, 1],
  not_known: ["rationale"],
};
const INTERVAL_EXAMPLE = {
  gvs: [5.99, 7.06],
  hpr: [8.16, 8.72],
  dei: [4.02, 4.6],
  pdi: [5.31, 7.33],
  gpi: [7.49, 9.18],
};
const CONCENTRATION_EXAMPLE = {
  nakamoto: { low: 4, point: 5, high: 6 },
  hhi_points: { low: 812.5, point: 870.11, high: 1042.3 },
  gini: { low: 0.81, point: 0.83, high: 0.86 },
};
const META_EXAMPLE = { methodology_version: "3.0.0", as_of: "2026-10-31T23:59:59.999Z" };

const UndatedMeta = { ...Meta.shape, as_of: Timestamp.describe("The moment of the data.") };

/** `meta` of risk, with the certainty of the scores if the version holds evidence. */
export const ScoreMeta = z.strictObject({ ...UndatedMeta, ...Certainty.partial().shape }).meta({
  id: "ScoreMeta",
  description: "`meta` of a risk assessment, with the certainty of the scores if the version has it.",
  examples: [
    {
      ...META_EXAMPLE,
      interval: { ...INTERVAL_EXAMPLE, risk: [41.7, 49.9] },
      ...CERTAINTY_EXAMPLE,
      concentration: CONCENTRATION_EXAMPLE,
    },
  ],
});
export type ScoreMeta = z.infer<typeof ScoreMeta>;

export const DaoMeta = z
  .strictObject({ ...ScoreMeta.shape, gvs_30d_dates: DaoDetail.shape.gvs_30d_dates })
  .meta({
    id: "DaoMeta",
    description: "`meta` of DAO detail, with the certainty of the scores if the version has it.",
    examples: [
      {
        ...META_EXAMPLE,
        gvs_30d_dates: ["2026-10-30", "2026-10-31"],
        interval: { ...INTERVAL_EXAMPLE, risk: [41.7, 49.9] },
        ...CERTAINTY_EXAMPLE,
      },
    ],
  });

export type DaoMeta = z.infer<typeof DaoMeta>;

export const IndexMeta = z
  .strictObject({
    ...UndatedMeta,
    interval: IndexIntervals.describe("The ends between which they lie.").optional(),
  })
  .meta({
    id: "IndexMeta",
    description: "`meta` of the index.",
    examples: [
      {
        ...META_EXAMPLE,
        interval: {
          composite: [4.4, 5.6],
          hpr: [5.1, 6.9],
          dei: [3.2, 4.4],
          pdi: [4.1, 5.9],
          gpi: [5.7, 7.2],
        },
      },
    ],
  });
export type IndexMeta = z.infer<typeof IndexMeta>;

/** `meta` of the list of DAOs: `total` counts the items in `data`, after the filter. */
export const ListMeta = z
  .strictObject({
    ...UndatedMeta,
    total: Count.describe("Items in `data`, after the filter."),
    unscored: Count.describe("Tracked DAOs without a score, after the filter; they are not in `data`."),
    updated_at: Timestamp.describe("The moment of the data, as `as_of`."),
    by_space_id: z
      .record(SpaceId, ListedCertainty)
      .describe("How well the scores of each listed DAO are known, by its id."),
  })
  .meta({
    id: "ListMeta",
    description: "`meta` of the list of DAOs.",
    examples: [
      {
        ...META_EXAMPLE,
        total: 1,
        unscored: 0,
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

export function roundedEnds({ low, high }: Ends, decimals = SCORE_DECIMALS): [number, number] {
  return [roundTo(low, decimals), roundTo(high, decimals)];
}

export function intervalsOf({
  gvs,
  components,
  risk,
}: {
  readonly gvs: Ends;
  readonly components: Readonly<Record<ComponentKey, Ends>>;
  readonly risk: Ends | null;
}): ScoreIntervals {
  return {
    gvs: roundedEnds(gvs),
    ...byComponent((key) => roundedEnds(components[key])),
    ...(risk === null ? {} : { risk: roundedEnds(risk, RISK_DECIMALS) }),
  };
}

/** How certain a scored DAO's scores are, by its evidence and its place in `rankings.json`. */
export function certaintyOf(
  evidence: Parameters<typeof intervalsOf>[0] &
    Pick<Evidence, "known_share" | "presence" | "not_known" | "concentration">,
  { best, worst }: Pick<Ranking, "best" | "worst">,
): Certainty {
  const { known_share, presence, not_known, concentration } = evidence;
  return {
    interval: intervalsOf(evidence),
    known_share: roundTo(known_share, SCORE_DECIMALS),
    rank_range: [best, worst],
    presence: roundedEnds(presence),
    not_known: [...not_known],
    ...(concentration === null ? {} : { concentration: roundedConcentration(concentration) }),
  };
}

export const ErrorEnvelope = z.strictObject({
  error: z.strictObject({ code: ReasonCode, message: z.string().min(1) }),
});
export type ErrorEnvelope = z.infer<typeof ErrorEnvelope>;

const envelope = <Data extends z.ZodType, DataMeta extends z.ZodType>(
  about: { readonly id?: string; readonly description: string },
  data: Data,
  meta: DataMeta,
) =>
  z
    .strictObject({
      data: data.describe("The requested data."),
      meta: meta.describe("The version of the method and the moment of the data."),
    })
    .meta(about);

/** The envelopes that the index stores ready to send, by kind. */
export const ENVELOPES = {
  daos: envelope({ id: "DaoListAnswer", description: "The list of DAOs." }, DaoList, ListMeta),
  dao: envelope({ id: "DaoDetailAnswer", description: "One DAO in detail." }, ServedDao, DaoMeta),
  risk: envelope(
    { id: "RiskAnswer", description: "The risk assessment of one DAO." },
    RiskAssessment,
    ScoreMeta,
  ),
  dgi: envelope({ id: "DgiAnswer", description: "The Decentralized Governance Index." }, Dgi, IndexMeta),
  "dgi-history": envelope(
    { id: "DgiHistoryAnswer", description: "The index day by day." },
    ServedDgiHistory,
    Meta,
  ),
  entity: envelope({ id: "EntityAnswer", description: "One entity." }, Entity, Meta),
  /** Why a tracked DAO has no score: never sent as it is, but the reason of a 404. */
  unscored: envelope({ description: "Why a tracked DAO has no score." }, UnscoredReason, Meta),
} as const;

/** Keys in the index: a category (or `all`) for `daos`, a period for `dgi-history`, `current` for `dgi`, else an ID. */
export type DocumentKind = keyof typeof ENVELOPES;

/** The envelope of a delegate response, which is cut from a listing on demand. */
export const DelegateEnvelope = envelope(
  { id: "DelegateListingAnswer", description: "The delegates of one DAO." },
  DelegateListing,
  Meta,
);
