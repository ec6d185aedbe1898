import type { Verdict } from "../compare/tell-apart.ts";
import { type Html, html, spell } from "../html.ts";
import { componentBars, type Studio } from "./charts.ts";
import { htmlTable, nameColumn, numberColumn, type Page, proseColumn, type TableColumn } from "./page.ts";
import type { DaoReport, ReportData } from "./report-data.ts";

type Row = ReportData["verdicts"][number];
type Neighbour = DaoReport["neighbours"][number];

/** A row against a column, in one character. */
const SIGNS: Readonly<Record<Verdict, string>> = {
  ahead: "+",
  behind: "−",
  unclear: "~",
  incomparable: "?",
};

/** The same in words. */
const WORDS: Readonly<Record<Verdict, string>> = {
  ahead: "ahead of it",
  behind: "behind it",
  unclear: "cannot be told apart",
  incomparable: "cannot be compared",
};

/** Names are cut where a picture has no room for them. */
const NAME_LETTERS = 16;

const shortName = (name: string): string =>
  name.length <= NAME_LETTERS ? name : `${name.slice(0, NAME_LETTERS - 1)}…`;

/** The scores of the first DAOs with their intervals, as a picture. */
function intervals({ daos }: ReportData, rows: readonly Row[], studio: Studio): Html {
  const byId = new Map(daos.map((report) => [report.dao.space_id, report]));
  const bars = rows.flatMap(({ spaceId, name }) => {
    const report = byId.get(spaceId);
    if (report === undefined) return [];
    const { dao, interval } = report;
    return [{ name: `${dao.rank} ${shortName(name)}`, score: dao.gvs, interval: interval?.gvs }];
  });
  return componentBars(studio, bars, {
    id: "interval-bars",
    title: "Governance Vitality Score by rank, 0 to 10",
    description:
      "Whiskers: between which ends each score lies. Where whiskers overlap, the data cannot tell who is ahead.",
  });
}

function columnsOf(rows: readonly Row[]): readonly TableColumn<Row>[] {
  return [
    nameColumn(
      "DAO",
      (row) =>
        html`${rows.indexOf(row) + 1} <a href="daos/${encodeURIComponent(row.spaceId)}.html">${row.name}</a>`,
    ),
    ...rows.map((_, place) =>
      numberColumn(String(place + 1), ({ verdicts }: Row) => {
        const verdict = verdicts[place];
        return verdict === undefined ? "" : SIGNS[verdict];
      }),
    ),
  ];
}

function countPairs(rows: readonly Row[]): string {
  const all = rows.flatMap(({ verdicts }, place) => verdicts.slice(place + 1));
  const unclear = all.filter((verdict) => verdict === "unclear").length;
  return `Of ${all.length} pairs, the data tell ${all.length - unclear} apart, and ${unclear} not.`;
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
    ? html`<p class="lead">There are no two DAOs with a score and its evidence.</p>`
    : html`<p class="lead">${countPairs(rows)}</p>
<p>A rank is a place in a list. One DAO is ahead of another only where the whole interval of its score lies above the other's: then it is so whatever is not known. Elsewhere the points are a best guess.</p>
${intervals(data, rows, studio)}
<p>+ ahead, − behind, ~ cannot be told apart; by line against the column of that number. <code>govdata compare</code> tells more of any pair.</p>
${htmlTable("Each DAO against each", rows, columnsOf(rows))}`
}
`,
  };
}

const NEIGHBOUR_COLUMNS: readonly TableColumn<Neighbour>[] = [
  nameColumn("DAO", ({ spaceId, name }) => html`<a href="${encodeURIComponent(spaceId)}.html">${name}</a>`),
  numberColumn("Difference", ({ gvs }) => spell.known(gvs.point, spell.change)),
  numberColumn("Between", ({ gvs }) => `${spell.change(gvs.low)} and ${spell.change(gvs.high)}`),
  { heading: "This one is", of: ({ verdict }) => WORDS[verdict] },
];

/** A DAO against its neighbours by rank; nothing where it has none. */
export function neighbourSection({ neighbours }: DaoReport): Html {
  if (neighbours.length === 0) return html``;
  const why: TableColumn<Neighbour> = proseColumn("In words", ({ sentence }) => sentence);
  const hasWords = neighbours.some(({ sentence }) => sentence !== undefined);
  return html`<section aria-labelledby="neighbours"><h2 id="neighbours">Against its neighbours by rank</h2>
${htmlTable("Difference of scores", neighbours, hasWords ? [...NEIGHBOUR_COLUMNS, why] : NEIGHBOUR_COLUMNS)}
<p class="muted"><a href="../compare.html">Which DAOs the data can tell apart</a></p></section>
`;
}
