import { z } from "zod";
import { DaoDetail, UnscoredDao } from "../../../snapshots/format/dao.ts";
import { ScoreMeta } from "../../../snapshots/format/envelope.ts";
import { CATEGORIES, COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { readPublishedDocuments } from "../../../snapshots/store/read/read-documents.ts";
import { withStore } from "../../home/store-errors.ts";
import { COMPONENT_TEXTS, INDICATORS } from "../../score/method/indicators.ts";
import { METHODOLOGY } from "../../score/method/methodology.ts";
import { showEnvelope } from "../show/show.ts";
import { citation, daoSentence, Ends, Score, SpaceIdText, tool } from "./tool.ts";

export const listDaos = tool({
  name: "list_daos",
  description: "Lists the tracked DAOs: those with a score by rank, then those without one and why.",
  input: z.strictObject({
    search: z.string().max(100).default("").describe("Only DAOs whose id or name contains this."),
    category: z.enum(CATEGORIES).optional(),
    limit: z.int().min(1).max(100).default(25),
    offset: z.int().min(0).default(0).describe("DAOs to skip."),
  }),
  output: {
    total: z.int().describe("DAOs that match."),
    daos: z.array(
      z.object({
        space_id: z.string(),
        name: z.string(),
        category: z.string(),
        gvs: Score,
        interval: Ends.nullable(),
        rank: z.int().nullable(),
        rank_range: Ends.nullable().describe("The ranks that the intervals of all DAOs allow."),
        no_score_because: z.string().optional(),
      }),
    ),
  },
  async run(settings, { search, category, limit, offset }) {
    const { data, meta } = await showEnvelope(settings, "daos", "all");
    const unscored = await withStore(() => readPublishedDocuments(settings.snapshotsDirectory).unscored());
    const scored = data.map((dao) => {
      const known = meta.by_space_id?.[dao.space_id];
      return { ...dao, interval: known?.interval.gvs ?? null, rank_range: known?.rank_range ?? null };
    });
    const others = unscored.map(({ space_id, name, category, interval, reason }) => {
      const none = { gvs: null, rank: null, rank_range: null };
      return { space_id, name, category, ...none, interval: interval.gvs, no_score_because: reason.message };
    });
    const sought = search.toLowerCase();
    const found = [...scored, ...others].filter(
      (dao) =>
        (category === undefined || dao.category === category) &&
        (dao.space_id.includes(sought) || dao.name.toLowerCase().includes(sought)),
    );
    return {
      quote: `Of ${scored.length + others.length} tracked DAOs, ${scored.length} have a governance score (GVS, 0 to 10), ${citation(meta)}.`,
      as_of: meta.as_of,
      methodology_version: meta.methodology_version,
      total: found.length,
      daos: found.slice(offset, offset + limit),
    };
  },
});

export const getDao = tool({
  name: "get_dao",
  description:
    "Gets one DAO: its score and components with intervals, ranks, the last 30 days, its strongest labelled entities. A DAO without a score gets its interval and the reason.",
  input: z.strictObject({ space_id: SpaceIdText }),
  output: {
    dao: DaoDetail.optional(),
    certainty: ScoreMeta.omit({ as_of: true, methodology_version: true }).optional(),
    unscored: UnscoredDao.omit({ empty_frame: true }).optional(),
  },
  async run(settings, { space_id: spaceId }) {
    const { manifest, unscored } = await withStore(() => readPublishedDocuments(settings.snapshotsDirectory));
    const withoutScore = (await withStore(unscored)).find((dao) => dao.space_id === spaceId);
    if (withoutScore !== undefined) {
      // What an empty frame was measured from explains nothing to a reader.
      const { empty_frame: _emptyFrame, ...shown } = withoutScore;
      const source = { as_of: manifest.as_of, methodology_version: manifest.methodology_version };
      const quote = daoSentence(shown.name, shown.interval.gvs, shown.reason.message, source);
      return { quote, ...source, unscored: shown };
    }
    const { data, meta } = await showEnvelope(settings, "dao", spaceId);
    const { as_of, methodology_version, gvs_30d_dates, ...certainty } = meta;
    const dao = { ...data, gvs_30d_dates };
    const { rank, total } = dao.rankings.overall;
    const source = { as_of, methodology_version };
    const place = { gvs: dao.gvs, rank, total, range: certainty.rank_range ?? ([rank, rank] as const) };
    const quote = daoSentence(dao.name, certainty.interval?.gvs ?? [0, 10], place, source);
    return { quote, ...source, dao, certainty };
  },
});

export const getMethodology = tool({
  name: "get_methodology",
  description: "Says how scores are made: components, weights, indicators, and every constant of the method.",
  input: z.strictObject({}),
  output: {
    scale: z.string(),
    interval: z.string(),
    components: z.array(
      z.object({
        key: z.enum(COMPONENT_KEYS),
        title: z.string(),
        asks: z.string(),
        weight: z.number(),
        indicators: z.array(z.object({ id: z.string(), asks: z.string(), source: z.string() })),
      }),
    ),
    constants: z.record(z.string(), z.unknown()),
  },
  async run(settings) {
    const { manifest } = await withStore(() => readPublishedDocuments(settings.snapshotsDirectory));
    const { version, ...constants } = METHODOLOGY;
    const source = { as_of: manifest.as_of, methodology_version: version };
    const weights = COMPONENT_KEYS.map(
      (key) => `${COMPONENT_TEXTS[key].name} ${Math.round(100 * METHODOLOGY.components.weights[key])} %`,
    );
    return {
      quote: `A governance score (GVS) is the weighted geometric mean of four components (${weights.join(", ")}), ${citation(source)}.`,
      ...source,
      scale: "All scores from 0 to 10, higher is better; risk from 0 to 100, lower is better.",
      interval:
        "The low end assumes the worst of everything unknown, the high end the best. Where two intervals overlap, the data cannot tell which DAO is ahead.",
      components: COMPONENT_KEYS.map((key) => ({
        key,
        title: COMPONENT_TEXTS[key].title,
        asks: COMPONENT_TEXTS[key].asks,
        weight: METHODOLOGY.components.weights[key],
        indicators: INDICATORS.filter(({ component }) => component === key),
      })),
      constants,
    };
  },
});
