import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { INK } from "../drawing.ts";
import { type Html, html } from "../html.ts";
import { type IndexMove, monthlyMoves, sumOfMoves } from "../index-moves.ts";
import { spell } from "../spell.ts";
import { chart, type Studio, yearCharts } from "./charts.ts";
import {
  COMPONENT_COLUMN,
  column,
  foldedTable,
  htmlTable,
  type Page,
  type Section,
  scoreCell,
  scoreFigure,
  sectionsOf,
} from "./page.ts";
import type { ReportData } from "./report-data.ts";

function year({ dgiHistory, indexMoves }: ReportData, studio: Studio): Html {
  const points = dgiHistory?.values ?? [];
  const byDay = new Map(indexMoves.map(({ to, scores }) => [to, scores]));
  let alone = points[0]?.composite ?? 0;
  const days = points.map(({ date, composite, components, interval }) => {
    alone += byDay.get(date) ?? 0;
    return {
      date,
      score: composite,
      components,
      ends: interval && { gvs: interval },
      /** Had its members' scores alone moved it since the first day. */
      otherwise: alone,
      row: {
        date,
        composite,
        composite_low: interval?.[0],
        composite_high: interval?.[1],
        by_scores_alone: spell.score(alone),
        ...components,
      },
    };
  });
  const text = {
    title: "The index by day",
    componentsTitle: "Components of the index",
    file: "index-",
    band: " Band: the interval in which it lies.",
    note: " Broken line: the index if only its members' scores had moved. The gap between the lines comes from their weights and from DAOs that joined or left.",
  };
  return yearCharts(studio, text, days) ?? html`<p>There is no history yet.</p>`;
}

/** Moves by month as bars on a zero line: a strong part and a pale one, stacked where both go the same way. */
function moveBars(studio: Studio, months: readonly IndexMove[]): Html {
  const { marks } = studio;
  const rows = months.map(({ to, after, scores, weights, members }) => ({
    month: to.slice(0, 7),
    index: after,
    by_scores: scores,
    by_weights_and_members: weights + members,
  }));
  const parts = rows.flatMap(({ month, by_scores: strong, by_weights_and_members: pale }) => [
    { month, points: strong, colour: INK.accent },
    { month, points: pale, colour: INK.soft },
  ]);
  const text = {
    id: "index-moves",
    file: "index-moves",
    title: "Moves of the index by month, in points",
    description: "Strong colour: its members' scores. Pale: their weights, and DAOs that joined or left.",
  };
  return chart(studio, text, rows, (isWide) => ({
    height: isWide ? 200 : 170,
    marginTop: 24,
    marginRight: 12,
    marginLeft: 44,
    x: {
      domain: rows.map(({ month }) => month),
      label: null,
      tickSize: 0,
      padding: 0.3,
      // Of `2026-10` the month, where there is no room for more.
      tickFormat: (month: string) => (isWide ? month : month.slice(5)),
    },
    y: { label: "points", labelArrow: "none", ticks: 4, tickSize: 0, tickFormat: spell.change },
    color: { type: "identity" },
    marks: [
      marks.barY(parts, { x: "month", y: "points", fill: "colour" }),
      marks.ruleY([0], { stroke: "currentColor" }),
    ],
  }));
}

function whyMoved({ indexMoves }: ReportData, studio: Studio): Section | undefined {
  const all = sumOfMoves(indexMoves);
  if (all === undefined) return undefined;
  const { from, before, after, scores, weights, members } = all;
  const months = monthlyMoves(indexMoves);
  return {
    id: "moves",
    title: "What moved it",
    body: html`<p>Since ${from} the index has moved by ${spell.change(after - before)}: ${spell.change(scores)} through its members' scores, ${spell.change(weights)} through their weights, and ${spell.change(members)} through DAOs that joined or left.</p>
${moveBars(studio, months)}
${foldedTable("Moves of the index by month", months.toReversed(), [
  column.name("Month", ({ to }) => to.slice(0, 7)),
  column.number("Index", (month) => spell.score(month.after)),
  column.number("Move", (month) => spell.change(month.after - month.before)),
  column.number("Scores", (month) => spell.change(month.scores)),
  column.number("Weights", (month) => spell.change(month.weights)),
  column.number("Members", (month) => spell.change(month.members)),
  column.number("Rounding", (month) => spell.change(month.rounding)),
])}`,
  };
}

function current({ dgi }: ReportData): Html {
  if (dgi === undefined)
    return html`<p class="lead">There is no index: it needs at least five DAOs with enough data.</p>`;
  const [index, note] = scoreFigure(dgi.composite, dgi.interval?.composite);
  return html`<dl class="figures"><div><dt>Index, 0 to 10</dt><dd>${index} <small>${note}</small></dd></div><div><dt>Members</dt><dd>${dgi.dao_count} <small>DAOs</small></dd></div></dl>
<p class="lead">The index is the weighted mean of its members' scores. A DAO weighs more the more it votes now and the better it is known.</p>
<p class="muted">A weight is 0 for a DAO that no longer votes or of which too little is known. It covers the DAOs that are tracked here, not all DAOs.</p>
${htmlTable("Components of the index, 0 to 10", COMPONENT_KEYS, [
  COMPONENT_COLUMN,
  column.number("Score", (key) => scoreCell(dgi.components[key], dgi.interval?.[key])),
])}`;
}

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
