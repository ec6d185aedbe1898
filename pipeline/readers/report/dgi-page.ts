import type { DgiPoint } from "../../../snapshots/format/dao.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { type IndexMove, monthlyMoves, sumOfMoves } from "../compare/index-moves.ts";
import { type Html, html, spell } from "../html.ts";
import { moveBars, type Studio, scoreHistory } from "./charts.ts";
import { htmlTable, nameColumn, numberColumn, type Page, type TableColumn } from "./page.ts";
import type { ReportData } from "./report-data.ts";

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

function year({ dgiHistory, indexMoves, names }: ReportData, studio: Studio): Html | undefined {
  const points = dgiHistory?.values ?? [];
  const alone = byScoresAlone(points, indexMoves);
  return scoreHistory(
    studio,
    { id: "index-line", title: "The index by day" },
    points,
    {
      heading: "Index",
      of: ({ composite }) => composite,
      otherwise: {
        says: "where it would be had only the scores of its members moved; the gap is by weights and by who came or went",
        of: ({ date, composite }) => alone.get(date) ?? composite,
      },
    },
    [
      numberColumn("By scores alone", ({ date }) => spell.known(alone.get(date), spell.score)),
      ...COMPONENT_KEYS.map((key) =>
        numberColumn(spell.title(names[key].name), ({ components }: DgiPoint) =>
          spell.score(components[key]),
        ),
      ),
    ],
  );
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

/** What moved the index: in a sentence, and by month. */
function whyMoved({ indexMoves }: ReportData, studio: Studio): Html {
  const all = sumOfMoves(indexMoves);
  if (all === undefined) return html``;
  const { from, before, after, scores, weights, members } = all;
  const months = monthlyMoves(indexMoves);
  const bars = months.map((move) => ({
    month: move.to.slice(0, 7),
    strong: move.scores,
    pale: move.weights + move.members,
  }));
  return html`<section aria-labelledby="moves"><h2 id="moves">What moved it</h2>
<p>Since ${from} the index moved by ${spell.change(after - before)}: ${spell.change(scores)} by the scores of its members, ${spell.change(weights)} by their weights, ${spell.change(members)} by who came or went.</p>
${moveBars(studio, bars, {
  id: "index-moves",
  title: "Moves of the index by month, in points",
  description: "Strong colour: by scores of its members. Pale: by their weights, and by who came or went.",
})}
${htmlTable("Moves of the index by month", months.toReversed(), MOVE_COLUMNS)}</section>
`;
}

/** The Decentralized Governance Index, now and over a year, and what moved it. */
export function dgiPage(data: ReportData, studio: Studio): Page {
  const { dgi, names } = data;
  const now =
    dgi === undefined
      ? html`<p class="lead">There is no index: it needs five DAOs with enough data.</p>`
      : html`<div class="story"><p class="figure"><b>${spell.score(dgi.composite)}</b> <span>of 10</span></p>
<div><p class="lead">The mean of ${dgi.dao_count} DAOs; each counts the more, the more it votes now and the better it is known.</p>
<p class="muted">Weights change gradually and are 0 where a DAO falls asleep or too little of it is known, so that none enters or leaves with a jump. It covers the DAOs that are tracked here, not the world.</p></div></div>
${htmlTable(
  "The index and its components",
  [
    ["Index", dgi.composite] as const,
    ...COMPONENT_KEYS.map((key) => [spell.title(names[key].name), dgi.components[key]] as const),
  ],
  [
    nameColumn("Part", ([name]: readonly [string, number]) => name),
    numberColumn("Score", ([, score]) => spell.score(score)),
  ],
)}`;
  return {
    path: "dgi.html",
    title: "Decentralized Governance Index",
    description: "The health of DAO governance as one number, over a year.",
    body: html`<h1>Decentralized Governance Index</h1>
${now}
<section aria-labelledby="year"><h2 id="year">The last year</h2>
${year(data, studio) ?? html`<p>There is no history yet.</p>`}</section>
${whyMoved(data, studio)}`,
  };
}
