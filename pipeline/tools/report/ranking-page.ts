import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { type Html, html } from "../html.ts";
import { spell } from "../spell.ts";
import { below, type DataRow, dataLink, type Studio, scoreBar, scoreColumns, sparkline } from "./charts.ts";
import { htmlTable, nameColumn, numberColumn, type Page, type TableColumn } from "./page.ts";
import type { DaoReport, ReportData } from "./report-data.ts";

/** The script of the ranking, beside its page. */
export const RANKING_SCRIPT = "ranking.js";

function thirtyDays(studio: Studio, { dao, full }: DaoReport): Html {
  const values = full?.detail.history.gvs_30d ?? [];
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined || values.length < 2) return html`–`;
  return sparkline(studio, values, {
    id: `spark-${dao.space_id}`,
    title: `${dao.name}, 30 days`,
    description: `From ${spell.score(first)} to ${spell.score(last)}.`,
  });
}

/** The ranks that the intervals allow: `3–5`, or one where they leave no other. */
export function rankWords({ dao, rankRange: [best, worst] = [dao.rank, dao.rank] }: DaoReport): string {
  return best === worst ? String(best) : `${best}–${worst}`;
}

function daoName({ dao }: DaoReport): Html {
  const doubt = dao.gvs_confidence === "low" ? " · few proposals" : "";
  return html`<a href="daos/${dao.space_id}.html">${dao.name}</a><small data-category="${dao.category}">${spell.word(dao.category)}${doubt}</small>`;
}

function columnsOf(studio: Studio, { isFull, names }: ReportData): TableColumn<DaoReport>[] {
  return [
    numberColumn("Rank", rankWords),
    nameColumn("DAO", daoName),
    numberColumn(
      "Score",
      ({ dao, interval }) =>
        html`<b>${spell.score(dao.gvs)}</b>${scoreBar(dao.gvs, interval?.gvs)}${below(interval?.gvs, spell.score)}`,
    ),
    numberColumn("24 h", ({ dao }) => spell.change(dao.delta_24h)),
    ...(isFull ? [{ heading: "30 days", of: (row: DaoReport) => thirtyDays(studio, row) }] : []),
    ...COMPONENT_KEYS.map((key) =>
      numberColumn(
        spell.title(names[key].name),
        ({ dao, interval }: DaoReport) =>
          html`${spell.score(dao.components[key])}${below(interval?.[key], spell.tenth)}`,
      ),
    ),
  ];
}

/** A DAO of the ranking as a row of numbers. */
const dataRow = ({ dao, interval, rankRange }: DaoReport): DataRow => ({
  rank: dao.rank,
  rank_best: rankRange?.[0],
  rank_worst: rankRange?.[1],
  space_id: dao.space_id,
  name: dao.name,
  category: dao.category,
  confidence: dao.gvs_confidence,
  delta_24h: dao.delta_24h,
  ...scoreColumns({ gvs: dao.gvs, ...dao.components }, interval),
});

function summary({ dgi, list, unscored }: ReportData): Html {
  const [first] = list;
  const last = list.at(-1);
  if (first === undefined || last === undefined) {
    return html`<p class="lead">No DAO has a score yet. <a href="quality.html">Data quality</a> says why.</p>`;
  }
  const index =
    dgi === undefined
      ? "There is no index: it needs at least five DAOs with enough data."
      : html`The <a href="dgi.html">index</a> is ${spell.score(dgi.composite)}.`;
  const omitted =
    unscored.length === 0
      ? ""
      : html` <a href="quality.html">${unscored.length} more ${unscored.length === 1 ? "is" : "are"} tracked</a> without a score, because too little is known about ${unscored.length === 1 ? "it" : "them"}.`;
  return html`<p class="lead">${list.length} ${list.length === 1 ? "DAO has" : "DAOs have"} a score, from ${spell.score(last.gvs)} (${last.name}) to ${spell.score(first.gvs)} (${first.name}). ${index}</p>
<p>The Governance Vitality Score runs from 0 to 10; higher is better. It rates participation, the spread of voting power, deliberation and process, not whether decisions are good. Whiskers and small figures give the interval in which a score lies, whatever the missing data would show; the ranks are those that these intervals allow.${omitted}</p>
`;
}

/** The first page: every scored DAO by rank. */
export function rankingPage(data: ReportData, studio: Studio): Page {
  const table =
    data.daos.length === 0
      ? ""
      : html`${htmlTable("DAOs by Governance Vitality Score", data.daos, columnsOf(studio, data))}<p class="files">${dataLink(studio, "ranking", data.daos.map(dataRow))}</p>
`;
  return {
    path: "index.html",
    title: "Ranking",
    description: "DAOs ranked by the health of their governance.",
    script: RANKING_SCRIPT,
    body: html`<h1>How healthy is the governance of DAOs?</h1>
${summary(data)}
${table}`,
  };
}
