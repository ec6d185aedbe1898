import type { Verdict } from "../compare/tell-apart.ts";
import { INK } from "../drawing.ts";
import { type Html, html } from "../html.ts";
import { cut, spell } from "../spell.ts";
import { chart, SCORES, type Studio, scoreColumns } from "./charts.ts";
import { column, folded, htmlTable, type Page, type Section } from "./page.ts";
import type { DaoReport, ReportData } from "./report-data.ts";

type Row = ReportData["verdicts"][number];

/** What one DAO is against another: in one character, and in words. */
const VERDICTS: Readonly<Record<Verdict, { readonly sign: string; readonly words: string }>> = {
  ahead: { sign: "+", words: "ahead of it" },
  behind: { sign: "−", words: "behind it" },
  unclear: { sign: "~", words: "cannot be told apart" },
  incomparable: { sign: "?", words: "cannot be compared" },
};

/** Letters of a name that a picture has room for. */
const NAME_LETTERS = 16;

/** Scores as ticks from 0 to 10, each with a bar between its ends. */
function intervals({ daos, verdicts }: ReportData, studio: Studio): Html {
  const { marks } = studio;
  const compared = daos.filter(({ dao }) => verdicts.some(({ spaceId }) => spaceId === dao.space_id));
  const scores = compared.map(({ dao, interval }) => ({
    name: `${dao.rank} ${cut(dao.name, NAME_LETTERS)}`,
    score: dao.gvs,
    ends: interval?.gvs,
  }));
  const bars = scores.flatMap(({ name, ends }) => (ends ? { name, low: ends[0], high: ends[1] } : []));
  const text = {
    id: "intervals",
    file: "intervals",
    title: "Governance Vitality Score, 0 to 10",
    description:
      "Ticks: the scores. Bars: the intervals in which they lie. Where two bars overlap, the data do not tell which DAO is ahead.",
  };
  const rows = compared.map(({ dao: { rank, space_id, name, gvs }, interval }) => {
    return { rank, space_id, name, ...scoreColumns({ gvs }, interval) };
  });
  return chart(studio, text, rows, (isWide) => ({
    height: 26 * scores.length + 36,
    marginLeft: isWide ? 170 : 130,
    x: SCORES,
    y: { domain: scores.map(({ name }) => name), label: null, tickSize: 0, padding: 0.4 },
    marks: [
      marks.ruleX(SCORES.ticks, { stroke: INK.line }),
      marks.barX(bars, { x1: "low", x2: "high", y: "name", fill: INK.soft }),
      marks.tickX(scores, { x: "score", y: "name", stroke: "currentColor", strokeWidth: 2 }),
      marks.text(scores, {
        x: 10,
        y: "name",
        text: ({ score }: (typeof scores)[number]) => spell.score(score),
        textAnchor: "start",
        dx: 8,
        fontWeight: 600,
      }),
    ],
  }));
}

export function comparePage(data: ReportData, studio: Studio): Page {
  const { verdicts: rows } = data;
  const pairs = rows.flatMap(({ verdicts }, index) => verdicts.slice(index + 1));
  const clear = pairs.filter((verdict) => verdict !== "unclear").length;
  const columns = [
    column.number("No.", (row: Row) => rows.indexOf(row) + 1),
    column.name("DAO", (row: Row) => html`<a href="daos/${row.spaceId}.html">${row.name}</a>`),
    ...rows.map((_, index) =>
      column.sign(String(index + 1), ({ verdicts }: Row) => {
        const verdict = verdicts[index];
        return (
          verdict &&
          html`<span class="${verdict}" role="img" aria-label="${VERDICTS[verdict].words}">${VERDICTS[verdict].sign}</span>`
        );
      }),
    ),
  ];
  return {
    path: "compare.html",
    title: "Who is ahead",
    description: "Which DAOs the data can tell apart.",
    body: html`<h1>Who is ahead of whom?</h1>
${
  rows.length < 2
    ? html`<p class="lead">Fewer than two DAOs have a score with evidence.</p>`
    : html`<p class="lead">The data tell ${clear} of ${pairs.length} pairs apart.</p>
<p>One DAO is ahead of another only if its whole interval lies above the other's: then it is ahead whatever the missing data would show. For all other pairs, the order of the scores is a best guess.</p>
${intervals(data, studio)}
<p>Read the table by row: <span class="ahead">+</span> ahead of the DAO with that number, <span class="behind">−</span> behind it, <span class="unclear">~</span> cannot be told apart. <code>govdata compare</code> gives the details of any pair.</p>
${htmlTable("Each DAO against each other", rows, columns)}`
}
`,
  };
}

/** A DAO against its neighbours by rank; nothing where it has none. */
export function neighbourSection({ neighbours }: DaoReport): Section | undefined {
  if (neighbours.length === 0) return undefined;
  const sentences = neighbours.flatMap(({ sentence }) => (sentence ? html`<li>${sentence}</li>` : []));
  return {
    id: "neighbours",
    title: "Neighbours by rank",
    isHalf: true,
    body: html`${htmlTable("This DAO's score minus the other's", neighbours, [
      column.name("DAO", ({ spaceId, name }) => html`<a href="${spaceId}.html">${name}</a>`),
      column.number("Difference", ({ gvs }) => spell.known(gvs.point, spell.change)),
      column.number("Interval", ({ gvs }) => `${spell.change(gvs.low)} to ${spell.change(gvs.high)}`),
      column.text("This DAO is", ({ verdict }) => VERDICTS[verdict].words),
    ])}
${sentences.length === 0 ? "" : folded("Why they can or cannot be told apart", html`<ul>${sentences}</ul>`)}
<p><a href="../compare.html">Compare all DAOs</a></p>`,
  };
}
