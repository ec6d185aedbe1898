import { DAY_MS } from "../../snapshots/base/days.ts";
import type { Evidence } from "../../snapshots/format/evidence.ts";
import { dayOf, RISK_DECIMALS, roundTo, SCORE_DECIMALS } from "../../snapshots/format/ids.ts";
import type { PublishedListing, PublishedSet } from "../../snapshots/format/published-set.ts";
import { labelledPoints, labelOf, riskLevelOf } from "../../snapshots/format/value-sets.ts";
import { publishedEvidenceOf, variedDao } from "../pipeline/documents/evidence-world.ts";
import { T } from "../pipeline/score/sample-facts.ts";
import { graphOf } from "../support/delegation-graph.ts";
import { certainPlace, datedListing, publishedSet } from "../support/published-set.ts";

const SPACE = "varied.eth";
/** The moment the set is of. */
export const EVERY_KIND_AS_OF_MS = T;

const rounded = ({ point }: Evidence["gvs"]): number => roundTo(point, SCORE_DECIMALS);

function listingFrom({ latest, all }: PublishedListing): PublishedListing {
  const listing = { ...latest, dao: SPACE };
  return { spaceId: SPACE, latest: listing, all, dated: [datedListing(dayOf(T - DAY_MS), listing)] };
}

/** One DAO in a small version that has a file of every kind, evidence and its lines among them. */
export function everyKindSet(): PublishedSet {
  const set = publishedSet(T);
  const [published] = publishedEvidenceOf([variedDao(SPACE)]);
  const [summary, detail, risk, entity, history] = [
    set.daos[0],
    set.details[0],
    set.risks[0],
    set.entities[0],
    set.histories[0],
  ];
  const small = set.listings.find((listing) => listing.spaceId === "orchard");
  if (!(published && summary && detail && risk && entity && history && small && set.dgi && set.dgiHistory)) {
    throw new Error("the fixture has one of each");
  }
  const { evidence } = published;
  const scoreOf = (key: "hpr" | "dei" | "pdi" | "gpi") => rounded(evidence.components[key]);
  const components = { hpr: scoreOf("hpr"), dei: scoreOf("dei"), pdi: scoreOf("pdi"), gpi: scoreOf("gpi") };
  const gvs = rounded(evidence.gvs);
  const labelled = (key: keyof typeof components) => ({
    score: components[key],
    label: labelOf(roundTo(labelledPoints(evidence.components[key]), SCORE_DECIMALS)),
  });
  const common = { space_id: SPACE, gvs, gvs_confidence: evidence.gvs_confidence };
  const rankings = {
    overall: { rank: 1, total: 1 },
    category: { rank: 1, category: "defi" as const, total: 1 },
  };
  if (evidence.risk === null) throw new Error("the DAO of the evidence has a risk");
  const riskScore = roundTo(evidence.risk.point, RISK_DECIMALS);
  return {
    ...set,
    methodologyVersion: evidence.methodology_version,
    daos: [{ ...summary, ...common, components }],
    rankings: [certainPlace({ space_id: SPACE, rank: 1 })],
    details: [
      {
        ...detail,
        ...common,
        components: {
          hpr: labelled("hpr"),
          dei: labelled("dei"),
          pdi: labelled("pdi"),
          gpi: labelled("gpi"),
        },
        rankings,
        history: { gvs_30d: [gvs], interval: "daily" },
        gvs_30d_dates: detail.gvs_30d_dates.slice(-1),
      },
    ],
    risks: [{ ...risk, space_id: SPACE, risk_score: riskScore, risk_level: riskLevelOf(riskScore) }],
    listings: [listingFrom(small)],
    graphs: [graphOf(listingFrom(small).latest, set.asOf)],
    entities: [
      {
        ...entity,
        dao_participations: entity.dao_participations.map((participation) => ({
          ...participation,
          space_id: SPACE,
        })),
      },
    ],
    histories: [{ space_id: SPACE, points: history.points.map((point) => ({ ...point, gvs, components })) }],
    dgi: { ...set.dgi, dao_count: 1 },
    unscored: [],
    evidence: [published],
  };
}
