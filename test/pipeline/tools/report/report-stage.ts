import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { COMPONENT_TEXTS } from "../../../../pipeline/score/method/indicators.ts";
import { createDraw } from "../../../../pipeline/tools/drawing.ts";
import type { Studio } from "../../../../pipeline/tools/report/charts.ts";
import { buildReport } from "../../../../pipeline/tools/report/report.ts";
import type { DaoReport, EvidenceStory, ReportData } from "../../../../pipeline/tools/report/report-data.ts";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import { dayOf } from "../../../../snapshots/format/ids.ts";
import { MEASURE_COLUMNS, ProposalLine } from "../../../../snapshots/format/proposal-line.ts";
import { byComponent, COMPONENT_KEYS } from "../../../../snapshots/format/value-sets.ts";
import { withGraph } from "../../../support/delegation-graph.ts";
import { FIXTURE_AS_OF_MS, publishedSet, runReport } from "../../../support/published-set.ts";

const ROOT = fileURLToPath(new URL("../../../..", import.meta.url));

/** A proposal of the frame of which little is known. */
function memberLine(id: string): ProposalLine {
  return ProposalLine.parse({
    ...Object.fromEntries(MEASURE_COLUMNS.map((column) => [column, null])),
    id,
    created_at: null,
    start_at: null,
    end_at: "2026-03-01T00:00:00.000Z",
    state: "closed",
    scores_state: "final",
    is_flagged: false,
    is_deleted: false,
    unit: 0,
    place: "MEMBER",
    attention: 0.5,
    weight: 0.4,
    votes: 1234,
    top_share: 0.25,
  });
}

/** Evidence with something of everything that pages tell. */
function story(): EvidenceStory {
  const indicator = {
    id: "top",
    asks: "voters as large as the largest that would make up the whole",
    source: "the voting power of each vote",
    isKnown: true,
    low: 0.4,
    high: 0.6,
    points: 1.3,
    pointsMost: 3.3,
    cost: 1.3,
    weight: 0.4,
  };
  return {
    rank: { best: 1, worst: 2 },
    weights: { best: 1, worst: 1, most: undefined },
    knownShare: 0.8,
    presence: { low: 1, high: 1 },
    absence: undefined,
    knownUntil: "2026-03-31T20:00:00.000Z",
    completenessPct: 97.5,
    concentration: [{ name: "Gini of cast power, of 1", value: "0.70" }],
    notKnown: [{ id: "not_batch", asks: "votes apart", source: "the time of each vote" }],
    components: COMPONENT_KEYS.map((key) => ({
      key,
      ...COMPONENT_TEXTS[key],
      weight: 0.3 as const,
      score: { low: 3.2, point: 3.7, high: 4.1, label: "Moderate" as const },
      gvsPerPoint: 0.3,
      notKnown: 0.4,
      indicators: [
        indicator,
        { ...indicator, asks: "an unknown one", isKnown: false, low: 0, high: 1 },
        { ...indicator, asks: "one fully known", low: 0.5, high: 0.5 },
      ],
      costliest: indicator,
    })),
    risk: {
      low: 40,
      point: 41.5,
      high: 45,
      level: "moderate",
      sources: [],
      factors: [{ name: "capture by few voters", value: "high" }],
    },
    members: [
      {
        ...memberLine("0xfeedbeef01"),
        title: "Plant </a><b> reeds",
        link: "https://vote.example/#/proposal/1?a='",
      },
      memberLine("0xfeedbeef02"),
    ],
    leftOut: [{ reason: "IGNORED", sentence: "too little power", count: 3, examples: [] }],
  };
}

const COMPONENT_ENDS = byComponent((): [number, number] => [3.2, 4.1]);

/** A report on the fictional set of the store's tests: three DAOs, an index of forty days, one without a score. */
export function reportData(isFull: boolean): ReportData {
  const set = withGraph(publishedSet());
  const run = runReport(set, FIXTURE_AS_OF_MS);
  const indexDays = set.dgiHistory?.values ?? [];
  const daos = set.daos.map((dao, index): DaoReport => {
    const listing = set.listings.find(({ spaceId }) => spaceId === dao.space_id)?.latest;
    const detail = set.details[index];
    if (detail === undefined) throw new Error("the fixture lacks a detail");
    const points = Array.from({ length: 30 }, (_, day) => ({
      date: dayOf(FIXTURE_AS_OF_MS - (29 - day) * DAY_MS),
      methodology_version: "1.0.0",
      gvs: dao.gvs - (29 - day) / 100,
      components: dao.components,
      data_completeness: 97.5,
      index_weight: 0.75,
    }));
    return {
      dao,
      interval: dao.rank === 1 ? { gvs: [6.9, 7.6], ...COMPONENT_ENDS } : undefined,
      knownShare: 0.8,
      rankRange: dao.rank === 1 ? [1, 2] : undefined,
      inCategory: { rank: 1, category: dao.category, total: dao.rank === 1 ? 2 : 1 },
      neighbours: set.daos
        .filter((other) => other !== dao)
        .map((other) => ({
          spaceId: other.space_id,
          name: other.name,
          gvs: { low: -0.5, point: dao.gvs - other.gvs, high: 1.5 },
          verdict: "unclear",
          sentence: isFull ? `The largest unknowns: breadth of ${other.name}` : undefined,
        })),
      links:
        dao.rank === 1
          ? { website: "https://tidewater.example/", platform: "https://vote.example/#/s:tide" }
          : undefined,
      listing: listing && { ...listing, delegates: listing.delegates.slice(0, isFull ? 100 : 10) },
      full: isFull
        ? {
            detail,
            risk: set.risks.find(({ space_id }) => space_id === dao.space_id),
            year: points.map((point, day) => ({
              ...point,
              // As far from its gvs as today's.
              ends:
                dao.rank === 1 && day % 7 === 1
                  ? { gvs: [point.gvs - 0.35, Number((point.gvs + 0.35).toFixed(2))], ...COMPONENT_ENDS }
                  : undefined,
            })),
            evidence: dao.rank === 1 ? story() : undefined,
            graph: set.graphs.find(({ space_id }) => space_id === dao.space_id),
          }
        : undefined,
    };
  });
  return {
    version: "20260401T010000Z-0123abcd",
    sequence: 2,
    createdAt: "2026-04-01T01:00:00.000Z",
    asOf: set.asOf,
    methodologyVersion: set.methodologyVersion,
    isFull,
    imprint: {},
    corrections: [],
    daos,
    verdicts: set.daos.map((dao, index) => ({
      spaceId: dao.space_id,
      name: dao.name,
      verdicts: set.daos.map((_, other) => {
        if (other === index) return undefined;
        return index + other === 1 ? "unclear" : index < other ? "ahead" : "behind";
      }),
    })),
    dgi: set.dgi,
    dgiHistory: set.dgiHistory,
    indexMoves: indexDays.slice(1).map(({ date: to, composite: after }, index) => {
      const { date: from = "", composite: before = 0 } = indexDays[index] ?? {};
      return { from, to, before, after, scores: 0.01, weights: -0.02, members: 0, rounding: 0 };
    }),
    unscored: set.unscored.map((dao) => ({ dao, links: undefined, evidence: undefined })),
    run: {
      ...run,
      rejected: [
        { space_id: "orchard", file: "votes.csv", line: 7, code: "BAD_ROW", message: "has no voter" },
      ],
      rejected_total: 1,
      findings: [{ code: "SOMETHING", space_id: null, message: "is worth a look" }],
    },
    sources: [],
    changes: changesSince("2026-03-30T23:59:59.999Z", isFull),
    pastChanges: {
      ...changesSince("2026-03-01T23:59:59.999Z", isFull),
      constants: [],
      unchanged: 0,
    },
    methodology: readFileSync(join(ROOT, "pipeline/score/METHODOLOGY.md"), "utf8"),
  };
}

/** One DAO that moved since a moment. */
function changesSince(fromAsOf: string, isFull: boolean): NonNullable<ReportData["changes"]> {
  return {
    fromVersion: "20260331T010000Z-0123abcd",
    fromAsOf,
    toAsOf: "2026-03-31T23:59:59.999Z",
    constants: ["methodology"],
    daos: [
      {
        spaceId: "orchard",
        name: "Orchard",
        fate: "moved",
        gvsBefore: 6,
        gvsAfter: 5.5,
        interval: [5.1, 6.02],
        rankBefore: 1,
        rankAfter: 2,
        riskBefore: isFull ? 40.5 : undefined,
        riskAfter: isFull ? 41.5 : undefined,
        mostly: "process",
        why: isFull ? "process −0.40 (quorum), 2 proposals entered the frame" : undefined,
      },
    ],
    unchanged: 2,
  };
}

/** What charts are drawn with; their files are kept in `files`. */
export async function makeStudio(files = new Map<string, string>()): Promise<Studio> {
  const keep = (path: string, text: string) => files.set(path, text);
  return { draw: await createDraw(), marks: await import("@observablehq/plot"), source: "a test", keep };
}

/** Every file of the report on these data. */
export const reportFiles = (data: ReportData) => buildReport(data, ROOT);
