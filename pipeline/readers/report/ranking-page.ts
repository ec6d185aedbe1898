import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { type Html, html, spell } from "../html.ts";
import { type Studio, sparkline } from "./charts.ts";
import { htmlTable, nameColumn, numberColumn, type Page, type TableColumn } from "./page.ts";
import type { DaoReport, ReportData } from "./report-data.ts";

type Ends = readonly [low: number, high: number] | undefined;

/** The picture of one score, from nothing to ten, with a whisker between its ends; the numbers beside it say the same. */
function scoreBar(score: number, ends: Ends): Html {
  const at = (points: number): string => (6 * points).toFixed(1);
  const whisker =
    ends === undefined
      ? html``
      : html`<path class="whisker" d="M${at(ends[0])} 1v6M${at(ends[0])} 4H${at(ends[1])}M${at(ends[1])} 1v6"/>`;
  return html`<svg class="bar" width="60" height="8" viewBox="0 0 60 8" aria-hidden="true" focusable="false"><rect class="rail" width="60" height="8" rx="2"/><rect class="fill" width="${at(score)}" height="8" rx="2"/>${whisker}</svg>`;
}

/** Between which ends a number lies, below it in small. */
function below(ends: Ends, spelled: (end: number) => string): Html {
  return ends === undefined ? html`` : html` <small>${ends.map(spelled).join("–")}</small>`;
}

function thirtyDays(studio: Studio, { dao, full }: DaoReport): Html {
  const values = full?.detail.history.gvs_30d ?? [];
  const [first] = values;
  const last = values.at(-1);
  if (first === undefined || last === undefined || values.length < 2)
    return html`<span class="muted">–</span>`;
  return sparkline(studio, values, {
    id: `spark-${dao.space_id}`,
    title: `${dao.name}, 30 days`,
    description: `From ${spell.score(first)} to ${spell.score(last)}.`,
  });
}

function columnsOf(studio: Studio, { isFull, names }: ReportData): TableColumn<DaoReport>[] {
  return [
    numberColumn("Rank", ({ dao, rankRange }) => html`${dao.rank}${below(rankRange, String)}`),
    nameColumn(
      "DAO",
      ({ dao }) =>
        html`<a href="daos/${encodeURIComponent(dao.space_id)}.html">${dao.name}</a> <small>${spell.word(dao.category)}</small>`,
    ),
    numberColumn(
      "GVS",
      ({ dao, interval }) =>
        html`${scoreBar(dao.gvs, interval?.gvs)} <b>${spell.score(dao.gvs)}</b>${below(interval?.gvs, spell.score)}`,
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
    { heading: "Confidence", of: ({ dao }) => dao.gvs_confidence },
  ];
}

function summary({ dgi, list, unscored }: ReportData): Html {
  const [first] = list;
  const last = list.at(-1);
  if (first === undefined || last === undefined) {
    return html`<p class="lead">No DAO has a score yet. <a href="quality.html">Data quality</a> says why.</p>`;
  }
  const index =
    dgi === undefined
      ? "There is no index: it needs five DAOs with enough data."
      : `The index over ${dgi.dao_count} of them stands at ${spell.score(dgi.composite)}.`;
  return html`<p class="lead">${list.length} ${list.length === 1 ? "DAO is" : "DAOs are"} scored, from ${spell.score(last.gvs)} (${last.name}) to ${spell.score(first.gvs)} (${first.name}). ${index}</p>
<p>The Governance Vitality Score goes from 0 to 10, more is better: do people take part, is power spread, is there debate, do rules hold? It describes votes that were cast, not whether the decisions were good. Small numbers and whiskers say between which ends a score lies, whatever is not known, and between which ranks. ${unscored.length > 0 ? html`<a href="quality.html">${unscored.length} tracked ${unscored.length === 1 ? "DAO has" : "DAOs have"} no score</a>: too little is known, which is not a zero.` : ""}</p>
`;
}

/** The first page: every scored DAO by rank. */
export function rankingPage(data: ReportData, studio: Studio): Page {
  const table =
    data.daos.length === 0
      ? html``
      : htmlTable("DAOs by Governance Vitality Score", data.daos, columnsOf(studio, data));
  return {
    path: "index.html",
    title: "Ranking",
    description: "DAOs ranked by the health of their governance.",
    body: html`<h1>How healthy is the governance of DAOs?</h1>
${summary(data)}
${table}`,
  };
}
