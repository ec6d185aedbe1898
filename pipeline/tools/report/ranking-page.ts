import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { type Html, html } from "../html.ts";
import { whyUnscored } from "../presence-texts.ts";
import { spell } from "../spell.ts";
import { type DataRow, dataLink, type Studio, scoreColumns, spanOf, sparkline } from "./charts.ts";
import { htmlTable, nameColumn, numberColumn, type Page, proseColumn, type TableColumn } from "./page.ts";
import type { DaoReport, ReportData, UnscoredReport } from "./report-data.ts";
import { plainScore, scoreCell } from "./score-cell.ts";

/** The script of the ranking, beside its page. */
export const RANKING_SCRIPT = "ranking.js";

const monthOf = ({ full }: DaoReport): readonly number[] => full?.detail.history.gvs_30d ?? [];

/** A line of 30 days must be so many points high at least: a tenth of a point must not look like a landslide. */
const SPAN_MIN = 0.5;

/** The height of all lines of 30 days, in points: that of the largest move. */
const monthSpan = (daos: readonly DaoReport[]): number =>
  Math.max(SPAN_MIN, ...daos.map(monthOf).flatMap((values) => (values.length > 1 ? spanOf(values) : [])));

function thirtyDays(studio: Studio, report: DaoReport, span: number): Html {
  const { dao } = report;
  const values = monthOf(report);
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined || values.length < 2) return html`–`;
  return sparkline(studio, values, span, {
    id: `spark-${dao.space_id}`,
    title: `${dao.name}, 30 days`,
    description: `From ${spell.score(first)} to ${spell.score(last)}.`,
  });
}

/** The ranks that the intervals allow: `3–5`, or one where they leave no other. */
export function rankWords({ dao, rankRange: [best, worst] = [dao.rank, dao.rank] }: DaoReport): string {
  return best === worst ? String(best) : `${best}–${worst}`;
}

type Named = Pick<DaoReport["dao"], "space_id" | "name" | "category">;

function daoName({ space_id: spaceId, name, category }: Named): Html {
  return html`<a href="daos/${spaceId}.html">${name}</a><small data-category="${category}"><code>${spaceId}</code> · ${spell.word(category)}</small>`;
}

function columnsOf(studio: Studio, { daos, isFull, names }: ReportData): TableColumn<DaoReport>[] {
  const span = monthSpan(daos);
  const month: TableColumn<DaoReport> = { heading: "30 days", of: (row) => thirtyDays(studio, row, span) };
  return [
    numberColumn("Rank", rankWords),
    nameColumn("DAO", ({ dao }) => daoName(dao)),
    numberColumn("Score", ({ dao, interval }) => scoreCell(dao.gvs, interval?.gvs)),
    numberColumn("24 h", ({ dao }) => spell.change(dao.delta_24h)),
    ...(isFull ? [month] : []),
    ...COMPONENT_KEYS.map((key) =>
      numberColumn(spell.title(names[key].name), ({ dao, interval }: DaoReport) =>
        plainScore(dao.components[key], interval?.[key]),
      ),
    ),
  ];
}

const UNSCORED_COLUMNS: readonly TableColumn<UnscoredReport>[] = [
  nameColumn("DAO", ({ dao }) => daoName(dao)),
  numberColumn("Interval", ({ dao }) => scoreCell(undefined, dao.interval.gvs)),
  proseColumn("Why it has no score", ({ dao }) => whyUnscored(dao)),
];

/** A DAO of the ranking as a row of numbers. */
const dataRow = ({ dao, interval, rankRange, knownShare, full }: DaoReport): DataRow => ({
  rank: dao.rank,
  rank_best: rankRange?.[0],
  rank_worst: rankRange?.[1],
  space_id: dao.space_id,
  name: dao.name,
  category: dao.category,
  known_share: knownShare,
  ...(full === undefined ? {} : { data_completeness: full.detail.data_completeness }),
  delta_24h: dao.delta_24h,
  ...scoreColumns({ gvs: dao.gvs, ...dao.components }, interval),
});

function summary({ dgi, daos, isFull, list, unscored }: ReportData): Html {
  const [first] = list;
  const last = list.at(-1);
  const tracked = `${spell.counted(list.length + unscored.length, "DAO")} ${list.length + unscored.length === 1 ? "is" : "are"} tracked.`;
  if (first === undefined || last === undefined)
    return html`<p class="lead">${tracked} No DAO has a score yet. <a href="quality.html">Data quality</a> says why.</p>`;
  const index =
    dgi === undefined
      ? "There is no index: it needs at least five DAOs with enough data."
      : html`The <a href="dgi.html">index</a> is ${spell.score(dgi.composite)}.`;
  return html`<p class="lead">${tracked} ${list.length} ${list.length === 1 ? "has" : "have"} a score, from ${spell.score(last.gvs)} (${last.name}) to ${spell.score(first.gvs)} (${first.name}). ${index}</p>
<p>The Governance Vitality Score runs from 0 to 10; higher is better. It rates participation, the spread of voting power, deliberation and process, not whether decisions are good. A bar shows the interval in which a score lies, whatever the missing data would show, and a tick the best guess; the ranks are those that the intervals allow.${isFull ? ` Each line of 30 days is ${spell.tenth(monthSpan(daos))} points high.` : ""}</p>
`;
}

function scored(data: ReportData, studio: Studio): Html {
  if (data.daos.length === 0) return html``;
  return html`${htmlTable("DAOs by Governance Vitality Score", data.daos, columnsOf(studio, data))}<p class="files">${dataLink(studio, "ranking", data.daos.map(dataRow))}</p>
`;
}

function withoutScore({ unscored }: ReportData): Html {
  if (unscored.length === 0) return html``;
  return html`<section class="unscored" aria-labelledby="unscored"><h2 id="unscored">Without a score</h2>
<p>Only an interval is published of each, and the reason.</p>
${htmlTable("Tracked DAOs without a score, those of which most is known first", unscored, UNSCORED_COLUMNS)}</section>
`;
}

/** The first page: every tracked DAO, those with a score by rank. */
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
