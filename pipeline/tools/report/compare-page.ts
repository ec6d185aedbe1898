import type { Verdict } from "../compare/tell-apart.ts";
import { html } from "../html.ts";
import { spell } from "../spell.ts";
import { type Studio, scoreColumns, scoreRanges } from "./charts.ts";
import {
  folded,
  htmlTable,
  nameColumn,
  numberColumn,
  type Page,
  type Section,
  type TableColumn,
} from "./page.ts";
import type { DaoReport, ReportData } from "./report-data.ts";

type Row = ReportData["verdicts"][number];
type Neighbour = DaoReport["neighbours"][number];

/** What one DAO is against another: in one character, and in words. */
const VERDICTS: Readonly<Record<Verdict, { readonly sign: string; readonly words: string }>> = {
  ahead: { sign: "+", words: "ahead of it" },
  behind: { sign: "−", words: "behind it" },
  unclear: { sign: "~", words: "cannot be told apart" },
  incomparable: { sign: "?", words: "cannot be compared" },
};

/** Names are cut where a picture has no room for them. */
const NAME_LETTERS = 16;

const shortName = (name: string): string =>
  name.length <= NAME_LETTERS ? name : `${name.slice(0, NAME_LETTERS - 1)}…`;

function intervals({ daos }: ReportData, rows: readonly Row[], studio: Studio) {
  const byId = new Map(daos.map((report) => [report.dao.space_id, report]));
  const reports = rows.flatMap(({ spaceId }) => byId.get(spaceId) ?? []);
  return scoreRanges(
    studio,
    {
      id: "intervals",
      file: "intervals",
      title: "Governance Vitality Score, 0 to 10",
      description:
        "Ticks: the scores. Bars: the intervals in which they lie. Where two bars overlap, the data do not tell which DAO is ahead.",
    },
    reports.map(({ dao, interval }) => ({
      rank: dao.rank,
      space_id: dao.space_id,
      name: dao.name,
      ...scoreColumns({ gvs: dao.gvs }, interval),
    })),
    reports.map(({ dao, interval }) => ({
      name: `${dao.rank} ${shortName(dao.name)}`,
      score: dao.gvs,
      ends: interval?.gvs,
    })),
  );
}

function columnsOf(rows: readonly Row[]): readonly TableColumn<Row>[] {
  return [
    numberColumn("No.", (row) => rows.indexOf(row) + 1),
    nameColumn("DAO", (row) => html`<a href="daos/${row.spaceId}.html">${row.name}</a>`),
    ...rows.map(
      (_, index): TableColumn<Row> => ({
        heading: String(index + 1),
        kind: "sign",
        of({ verdicts }) {
          const verdict = verdicts[index];
          if (verdict === undefined) return "";
          const { sign, words } = VERDICTS[verdict];
          return html`<span class="${verdict}" role="img" aria-label="${words}">${sign}</span>`;
        },
      }),
    ),
  ];
}

function countPairs(rows: readonly Row[]): string {
  const all = rows.flatMap(({ verdicts }, index) => verdicts.slice(index + 1));
  const unclear = all.filter((verdict) => verdict === "unclear").length;
  return `The data tell ${all.length - unclear} of ${all.length} pairs apart.`;
}

/** Which of the first DAOs by rank the data can tell apart. */
export function comparePage(data: ReportData, studio: Studio): Page {
  const { verdicts: rows } = data;
  return {
    path: "compare.html",
    title: "Who is ahead",
    description: "Which DAOs the data can tell apart.",
    body: html`<h1>Who is ahead of whom?</h1>
${
  rows.length < 2
    ? html`<p class="lead">Fewer than two DAOs have a score with evidence.</p>`
    : html`<p class="lead">${countPairs(rows)}</p>
<p>One DAO is ahead of another only if its whole interval lies above the other's: then it is ahead whatever the missing data would show. For all other pairs, the order of the scores is a best guess.</p>
${intervals(data, rows, studio)}
<p>Read the table by row: <span class="ahead">+</span> ahead of the DAO with that number, <span class="behind">−</span> behind it, <span class="unclear">~</span> cannot be told apart. <code>govdata compare</code> gives the details of any pair.</p>
${htmlTable("Each DAO against each other", rows, columnsOf(rows))}`
}
`,
  };
}

const NEIGHBOUR_COLUMNS: readonly TableColumn<Neighbour>[] = [
  nameColumn("DAO", ({ spaceId, name }) => html`<a href="${spaceId}.html">${name}</a>`),
  numberColumn("Difference", ({ gvs }) => spell.known(gvs.point, spell.change)),
  numberColumn("Interval", ({ gvs }) => `${spell.change(gvs.low)} to ${spell.change(gvs.high)}`),
  { heading: "This DAO is", of: ({ verdict }) => VERDICTS[verdict].words },
];

/** A DAO against its neighbours by rank; nothing where it has none. */
export function neighbourSection({ neighbours }: DaoReport): Section | undefined {
  if (neighbours.length === 0) return undefined;
  const sentences = neighbours.flatMap(({ sentence }) =>
    sentence === undefined ? [] : [html`<li>${sentence}</li>`],
  );
  return {
    id: "neighbours",
    title: "Neighbours by rank",
    isHalf: true,
    body: html`${htmlTable("This DAO's score minus the other's", neighbours, NEIGHBOUR_COLUMNS)}
${sentences.length === 0 ? "" : folded("Why they can or cannot be told apart", html`<ul>${sentences}</ul>`)}
<p><a href="../compare.html">Compare all DAOs</a></p>`,
  };
}
