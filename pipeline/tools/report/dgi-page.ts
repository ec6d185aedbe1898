import type { DgiPoint } from "../../../snapshots/format/dao.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { type Html, html } from "../html.ts";
import { type IndexMove, monthlyMoves, sumOfMoves } from "../index-moves.ts";
import { spell } from "../spell.ts";
import { moveBars, type Studio, type YearText, yearCharts } from "./charts.ts";
import {
  foldedTable,
  htmlTable,
  nameColumn,
  numberColumn,
  type Page,
  type Section,
  sectionsOf,
  type TableColumn,
} from "./page.ts";
import type { ReportData } from "./report-data.ts";
import { scoreCell, scoreFigure } from "./score-cell.ts";

/** The index of each day had its members' scores alone moved it since the first. */
function byScoresAlone(
  points: readonly DgiPoint[],
  moves: readonly IndexMove[],
): ReadonlyMap<string, number> {
  const byDay = new Map(moves.map((move) => [move.to, move.scores]));
  let value = points[0]?.composite ?? 0;
  return new Map(
    points.map(({ date }) => {
      value += byDay.get(date) ?? 0;
      return [date, value];
    }),
  );
}

function year({ dgiHistory, indexMoves, names }: ReportData, studio: Studio): Html {
  const points = dgiHistory?.values ?? [];
  const alone = byScoresAlone(points, indexMoves);
  const days = points.map(({ date, composite: score, components, interval: ends }) => ({
    date,
    score,
    components,
    ends: ends && { gvs: ends },
    otherwise: alone.get(date) ?? score,
  }));
  const [first] = days;
  const last = days.at(-1);
  if (first === undefined || last === undefined || days.length < 2)
    return html`<p>There is no history yet.</p>`;
  const band = days.some(({ ends }) => ends !== undefined) ? " Band: the interval in which it lies." : "";
  const text: YearText<(typeof days)[number]> = {
    title: "The index by day",
    componentsTitle: "Components of the index",
    file: "index-",
    description: `From ${spell.score(first.score)} on ${first.date} to ${spell.score(last.score)} on ${last.date}.${band} Broken line: the index if only its members' scores had moved. The gap between the lines comes from their weights and from DAOs that joined or left.`,
    names,
    row: ({ date, score: composite, components, ends, otherwise }) => ({
      date,
      composite,
      composite_low: ends?.gvs[0],
      composite_high: ends?.gvs[1],
      by_scores_alone: spell.score(otherwise),
      ...components,
    }),
  };
  return yearCharts(studio, text, days);
}

const MOVE_COLUMNS: readonly TableColumn<IndexMove>[] = [
  nameColumn("Month", ({ to }) => to.slice(0, 7)),
  numberColumn("Index", ({ after }) => spell.score(after)),
  numberColumn("Move", ({ before, after }) => spell.change(after - before)),
  numberColumn("Scores", ({ scores }) => spell.change(scores)),
  numberColumn("Weights", ({ weights }) => spell.change(weights)),
  numberColumn("Members", ({ members }) => spell.change(members)),
  numberColumn("Rounding", ({ rounding }) => spell.change(rounding)),
];

function whyMoved({ indexMoves }: ReportData, studio: Studio): Section | undefined {
  const all = sumOfMoves(indexMoves);
  if (all === undefined) return undefined;
  const { from, before, after, scores, weights, members } = all;
  const months = monthlyMoves(indexMoves);
  const bars = months.map((move) => ({
    month: move.to.slice(0, 7),
    index: move.after,
    by_scores: move.scores,
    by_weights_and_members: move.weights + move.members,
  }));
  const text = {
    id: "index-moves",
    file: "index-moves",
    title: "Moves of the index by month, in points",
    description: "Strong colour: its members' scores. Pale: their weights, and DAOs that joined or left.",
  };
  return {
    id: "moves",
    title: "What moved it",
    body: html`<p>Since ${from} the index has moved by ${spell.change(after - before)}: ${spell.change(scores)} through its members' scores, ${spell.change(weights)} through their weights, and ${spell.change(members)} through DAOs that joined or left.</p>
${moveBars(studio, text, bars)}
${foldedTable("Moves of the index by month", months.toReversed(), MOVE_COLUMNS, { shown: 0 })}`,
  };
}

function current({ dgi, names }: ReportData): Html {
  if (dgi === undefined)
    return html`<p class="lead">There is no index: it needs at least five DAOs with enough data.</p>`;
  const parts = COMPONENT_KEYS.map((key) => ({
    key,
    name: names[key].name,
    asks: names[key].asks,
    score: dgi.components[key],
  }));
  const [index, note] = scoreFigure(dgi.composite, dgi.interval?.composite);
  return html`<dl class="figures"><div><dt>Index, 0 to 10</dt><dd>${index} <small>${note}</small></dd></div><div><dt>Members</dt><dd>${dgi.dao_count} <small>DAOs</small></dd></div></dl>
<p class="lead">The index is the weighted mean of its members' scores. A DAO weighs more the more it votes now and the better it is known.</p>
<p class="muted">A weight is 0 for a DAO that no longer votes or of which too little is known. It covers the DAOs that are tracked here, not all DAOs.</p>
${htmlTable("Components of the index, 0 to 10", parts, [
  nameColumn("Component", ({ name, asks }) => html`${spell.title(name)}<small>${asks}</small>`),
  numberColumn("Score", ({ key, score }) => scoreCell(score, dgi.interval?.[key])),
])}`;
}

/** The Decentralized Governance Index, now and over a year, and what moved it. */
export function dgiPage(data: ReportData, studio: Studio): Page {
  return {
    path: "dgi.html",
    title: "Decentralized Governance Index",
    description: "The health of DAO governance as one number, over a year.",
    body: html`<h1>Decentralized Governance Index</h1>
${current(data)}
${sectionsOf([{ id: "year", title: "The last year", body: year(data, studio) }, whyMoved(data, studio)])}`,
  };
}
