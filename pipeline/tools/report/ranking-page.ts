import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { COMPONENT_TEXTS } from "../../score/method/indicators.ts";
import { INK } from "../drawing.ts";
import { whyUnscored } from "../evidence-texts.ts";
import { type Html, html } from "../html.ts";
import { rangeText, spell } from "../spell.ts";
import { type DataRow, dataLink, type Studio, scoreColumns } from "./charts.ts";
import { column, htmlTable, type Page, plainScore, scoreCell } from "./page.ts";
import type { DaoReport, ReportData } from "./report-data.ts";

export const RANKING_SCRIPT = "ranking.js";

const monthOf = ({ full }: DaoReport): readonly number[] => full?.detail.history.gvs_30d ?? [];

/** A line of 30 days must be so many points high at least: a tenth of a point must not look like a landslide. */
const SPAN_MIN = 0.5;

/** The height of all lines of 30 days, in points: that of the largest move. */
function monthSpan(daos: readonly DaoReport[]): number {
  const months = daos.map(monthOf).filter((values) => values.length > 1);
  return Math.max(SPAN_MIN, ...months.map((values) => Math.max(...values) - Math.min(...values)));
}

/** A line without axes, as high as a line of text and as `span` points. */
function thirtyDays({ draw, marks }: Studio, report: DaoReport, span: number): Html {
  const { dao } = report;
  const points = monthOf(report).map((value, day) => ({ day, value }));
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined || first === last) return html`–`;
  const values = points.map(({ value }) => value);
  const middle = (Math.min(...values) + Math.max(...values)) / 2;
  return draw(
    {
      width: 90,
      height: 28,
      margin: 3,
      axis: null,
      y: { domain: [middle - span / 2, middle + span / 2] },
      marks: [
        marks.lineY(points, { x: "day", y: "value", stroke: INK.accent, strokeWidth: 1.5 }),
        marks.dot([last], { x: "day", y: "value", r: 2.5, fill: INK.accent }),
      ],
    },
    {
      id: `spark-${dao.space_id}`,
      title: `${dao.name}, 30 days`,
      description: `From ${spell.score(first.value)} to ${spell.score(last.value)}.`,
    },
  );
}

/** The ranks that the intervals allow: `3–5`, or one where they leave no other. */
export function rankWords({ dao, rankRange: [best, worst] = [dao.rank, dao.rank] }: DaoReport): string {
  return rangeText(String(best), String(worst), "–");
}

const NAME_COLUMN = column.name(
  "DAO",
  ({
    dao: { space_id: id, name, category },
  }: {
    dao: Pick<DaoReport["dao"], "space_id" | "name" | "category">;
  }) =>
    html`<a href="daos/${id}.html">${name}</a><small data-category="${category}"><code>${id}</code> · ${spell.word(category)}</small>`,
);

const dataRow = ({ dao, interval, rankRange, knownShare, full }: DaoReport): DataRow => ({
  rank: dao.rank,
  rank_best: rankRange?.[0],
  rank_worst: rankRange?.[1],
  space_id: dao.space_id,
  name: dao.name,
  category: dao.category,
  known_share: knownShare,
  ...(full && { data_completeness: full.detail.data_completeness }),
  delta_24h: dao.delta_24h,
  ...scoreColumns({ gvs: dao.gvs, ...dao.components }, interval),
});

function summary({ dgi, daos, isFull, unscored }: ReportData): Html {
  const first = daos[0]?.dao;
  const last = daos.at(-1)?.dao;
  const total = daos.length + unscored.length;
  const tracked = `${spell.counted(total, "DAO")} ${total === 1 ? "is" : "are"} tracked.`;
  if (first === undefined || last === undefined)
    return html`<p class="lead">${tracked} No DAO has a score yet. <a href="quality.html">Data quality</a> says why.</p>`;
  const index =
    dgi === undefined
      ? "There is no index: it needs at least five DAOs with enough data."
      : html`The <a href="dgi.html">index</a> is ${spell.score(dgi.composite)}.`;
  return html`<p class="lead">${tracked} ${daos.length} ${daos.length === 1 ? "has" : "have"} a score, from ${spell.score(last.gvs)} (${last.name}) to ${spell.score(first.gvs)} (${first.name}). ${index}</p>
<p>The Governance Vitality Score runs from 0 to 10; higher is better. It rates participation, the spread of voting power, deliberation and process, not whether decisions are good. A bar shows the interval in which a score lies, whatever the missing data would show, and a tick the best guess; the ranks are those that the intervals allow.${isFull ? ` Each line of 30 days is ${spell.tenth(monthSpan(daos))} points high.` : ""}</p>
`;
}

function scored({ daos, isFull }: ReportData, studio: Studio): Html {
  if (daos.length === 0) return html``;
  const span = monthSpan(daos);
  const columns = [
    column.number("Rank", rankWords),
    NAME_COLUMN,
    column.number("Score", ({ dao, interval }: DaoReport) => scoreCell(dao.gvs, interval?.gvs)),
    column.number("24 h", ({ dao }: DaoReport) => spell.change(dao.delta_24h)),
    ...(isFull ? [column.text("30 days", (report: DaoReport) => thirtyDays(studio, report, span))] : []),
    ...COMPONENT_KEYS.map((key) =>
      column.number(spell.title(COMPONENT_TEXTS[key].name), ({ dao, interval }: DaoReport) =>
        plainScore(dao.components[key], interval?.[key]),
      ),
    ),
  ];
  return html`${htmlTable("DAOs by Governance Vitality Score", daos, columns)}<p class="files">${dataLink(studio, "ranking", daos.map(dataRow))}</p>
`;
}

function withoutScore({ unscored }: ReportData): Html {
  if (unscored.length === 0) return html``;
  return html`<section class="unscored" aria-labelledby="unscored"><h2 id="unscored">Without a score</h2>
<p>Only an interval is published of each, and the reason.</p>
${htmlTable("Tracked DAOs without a score, those of which most is known first", unscored, [
  NAME_COLUMN,
  column.number("Interval", ({ dao }) => scoreCell(undefined, dao.interval.gvs)),
  column.prose("Why it has no score", ({ dao }) => whyUnscored(dao)),
])}</section>
`;
}

export function rankingPage(data: ReportData, studio: Studio): Page {
  return {
    path: "index.html",
    title: "Ranking",
    description: "DAOs ranked by the health of their governance.",
    script: RANKING_SCRIPT,
    body: html`<h1>How healthy is the governance of DAOs?</h1>
${summary(data)}
${scored(data, studio)}${withoutScore(data)}`,
  };
}
