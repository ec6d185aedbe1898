import { z } from "zod";
import { roundedEnds } from "../../../snapshots/format/envelope.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { runCompare } from "../compare/compare-daos.ts";
import { endsOn, readDays } from "../compare/diff-days.ts";
import { dayChanges, FATE_WORDS } from "../compare/moves.ts";
import { runExplain } from "../explain/explain.ts";
import { spell } from "../spell.ts";
import { citation, daoSentence, Ends, rounded, Score, SpaceIdText, tool, VersionText } from "./tool.ts";

export const explainScore = tool({
  name: "explain_score",
  description:
    "Explains a DAO's score from its evidence: what each indicator earns and certainly loses, the proposals that move it most, what was left out, its risk, and what is not known.",
  input: z.strictObject({
    space_id: SpaceIdText,
    component: z.enum(COMPONENT_KEYS).optional().describe("Only one of the four components."),
    version: VersionText,
  }),
  output: {
    version: z.string(),
    gvs: Score,
    interval: Ends,
    known_share: z.number(),
    presence: Ends.describe("Whether the DAO still votes; multiplies all components."),
    components: z.array(
      z.object({
        key: z.enum(COMPONENT_KEYS),
        asks: z.string(),
        score: z.number(),
        interval: Ends,
        weight: z.number(),
        indicators: z.array(
          z.object({
            id: z.string(),
            asks: z.string(),
            earns: Ends.nullable().describe("From 0 to 1; null if nothing is known."),
            points_lost: z.number().describe("Points of the component that are certainly lost."),
          }),
        ),
      }),
    ),
    proposals_scored: z.int(),
    proposals: z.array(
      z.object({
        id: z.string(),
        title: z.string().optional().describe("Written by its author."),
        ended_at: z.string().optional(),
        lift: z.number().describe("The score with this proposal minus the score without it."),
      }),
    ),
    left_out: z.array(z.object({ count: z.int(), because: z.string() })),
    risk: z.object({ score: z.number(), interval: Ends, level: z.string() }).optional(),
    not_known: z.array(z.object({ id: z.string(), source: z.string() })),
  },
  async run(settings, { space_id: spaceId, component, version }) {
    const { story } = await runExplain(settings, { spaceId, component, version });
    const { gvs, rank, certainty, risk, unscored } = story;
    const source = { as_of: story.asOf, methodology_version: story.methodologyVersion };
    const interval = roundedEnds(gvs);
    const { best, worst } = certainty.rank ?? { best: rank?.place ?? 0, worst: rank?.place ?? 0 };
    const place = rank && {
      ...rank,
      gvs: rounded(gvs.point),
      rank: rank.place,
      range: [best, worst] as const,
    };
    return {
      quote: daoSentence(story.name, interval, place ?? unscored?.message ?? "", source),
      ...source,
      version: story.version,
      gvs: place?.gvs ?? null,
      interval,
      known_share: rounded(certainty.knownShare),
      presence: roundedEnds(certainty.presence),
      components: story.components
        .filter(({ key }) => component === undefined || key === component)
        .map(({ key, asks, score, weight, indicators }) => ({
          key,
          asks,
          score: rounded(score.point),
          interval: roundedEnds(score),
          weight,
          indicators: indicators.map(({ id, asks: what, isKnown, cost, ...ends }) => {
            return { id, asks: what, earns: isKnown ? roundedEnds(ends) : null, points_lost: rounded(cost) };
          }),
        })),
      proposals_scored: story.frame.members,
      proposals: story.proposals.map(({ id, title, endedAt, lift }) => {
        return { id, title, ended_at: endedAt, lift: rounded(lift) };
      }),
      left_out: story.leftOut.map(({ count, sentence }) => ({ count, because: sentence })),
      risk: risk && { score: rounded(risk.point), interval: roundedEnds(risk), level: risk.level },
      not_known: certainty.notKnown,
    };
  },
});

export const compareDaos = tool({
  name: "compare_daos",
  description: "Compares two to five DAOs: which is ahead, and whether the data can tell.",
  input: z.strictObject({ space_ids: z.array(SpaceIdText).min(2).max(5), version: VersionText }),
  output: {
    version: z.string(),
    daos: z.array(
      z.object({
        space_id: z.string(),
        name: z.string(),
        gvs: Score,
        interval: Ends,
        rank: z.int().nullable(),
        known_share: z.number(),
        components: z.array(z.object({ key: z.enum(COMPONENT_KEYS), interval: Ends })),
      }),
    ),
    pairs: z.array(
      z.object({
        a: z.string(),
        b: z.string(),
        verdict: z
          .enum(["ahead", "behind", "unclear", "incomparable"])
          .describe("Of a against b; unclear if their intervals overlap."),
        difference: Ends.describe("Low and high end of a minus b."),
        sentence: z.string(),
      }),
    ),
  },
  async run(settings, { space_ids: spaceIds, version }) {
    const result = await runCompare(settings, { spaceIds, version });
    const { asOf, methodologyVersion, daos, pairs } = result;
    const source = { as_of: asOf, methodology_version: methodologyVersion };
    const told = pairs.filter(({ verdict }) => verdict === "ahead" || verdict === "behind").length;
    const [only, ...others] = pairs;
    const sentence =
      only !== undefined && others.length === 0
        ? only.sentence
        : `Of ${pairs.length} pairs of DAOs, ${told} can be told apart by their governance scores (GVS).`;
    return {
      quote: `${sentence} (${spell.title(citation(source))}.)`,
      ...source,
      version: result.version,
      daos: daos.map(({ spaceId, name, gvs, rank, knownShare, components }) => ({
        space_id: spaceId,
        name,
        gvs: gvs.point === undefined ? null : rounded(gvs.point),
        interval: roundedEnds(gvs),
        rank: rank?.rank ?? null,
        known_share: rounded(knownShare),
        components: components.map((component) => ({ key: component.key, interval: roundedEnds(component) })),
      })),
      pairs: pairs.map(({ a, b, verdict, sentence: said, gvs }) => {
        return { a, b, verdict, difference: roundedEnds(gvs), sentence: said };
      }),
    };
  },
});

export const whatChanged = tool({
  name: "what_changed",
  description: "Says which DAOs' scores moved most over the last days of the published history, and why.",
  input: z.strictObject({
    days: z.int().min(1).max(364).default(30).describe("From so many days before the last day that ended."),
    min_delta: z.number().min(0).max(10).default(0.1).describe("Only scores that moved by so many points."),
    limit: z.int().min(1).max(50).default(10),
  }),
  output: {
    from: z.string(),
    to: z.string(),
    total: z.int().describe("DAOs that moved so much, or gained or lost their score."),
    daos: z.array(
      z.object({
        space_id: z.string(),
        name: z.string(),
        what: z.string(),
        before: Score,
        after: Score,
        interval: Ends.nullable().describe("Of the score after, by the proposals as measured now."),
        why: z.string().optional().describe("Points of the score by cause, the largest first."),
      }),
    ),
  },
  async run(settings, { days: length, min_delta: minDelta, limit }) {
    const { whole, days } = await readDays(settings, { days: length, to: undefined }, undefined);
    const evidence = new Map(whole.set.evidence.map((item) => [item.evidence.space_id, item]));
    const moved = dayChanges(whole, days, true).daos.filter(
      ({ fate, gvsBefore = 0, gvsAfter = 0 }) =>
        fate !== "moved" || (gvsBefore !== gvsAfter && Math.abs(gvsAfter - gvsBefore) >= minDelta),
    );
    const { as_of, methodology_version } = whole.manifest;
    const source = { as_of, methodology_version };
    const daos = moved.slice(0, limit).map(({ spaceId, name, fate, gvsBefore, gvsAfter, why }) => {
      const published = gvsAfter === undefined ? undefined : evidence.get(spaceId);
      return {
        space_id: spaceId,
        name,
        what: FATE_WORDS[fate],
        before: gvsBefore ?? null,
        after: gvsAfter ?? null,
        interval: published === undefined ? null : [...endsOn(published, days.to).gvs],
        why,
      };
    });
    const [first] = daos;
    const most =
      first === undefined || first.before === null || first.after === null
        ? ""
        : ` ${first.name} moved most, from ${spell.score(first.before)} to ${spell.score(first.after)}.`;
    const count = moved.filter(({ fate }) => fate === "moved").length;
    return {
      quote: `From ${days.from} to ${days.to} the governance scores (GVS) of ${count} DAOs moved by at least ${minDelta}.${most} (${spell.title(citation(source))}.)`,
      ...source,
      ...days,
      total: moved.length,
      daos,
    };
  },
});
