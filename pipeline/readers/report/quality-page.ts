import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { type Html, html, spell } from "../html.ts";
import { htmlTable, nameColumn, numberColumn, type Page, proseColumn } from "./page.ts";
import type { ReportData } from "./report-data.ts";

const REJECTED_SHOWN = 100;

type Unscored = ReportData["unscored"][number];

const ends = ([low, high]: readonly [number, number]): string => `${spell.score(low)}–${spell.score(high)}`;

/** What is not known, by where it would come from. */
function missing({ not_known: unknown }: Unscored): Html {
  const sources = [...new Set(unknown.map(({ source }) => source))];
  const of = (source: string) =>
    unknown.filter((each) => each.source === source).map(({ id }) => spell.word(id));
  return html`<ul>${sources.map((source) => html`<li>${of(source).join(", ")}: ${source}</li>`)}</ul>`;
}

function unscored({ unscored: daos, names }: ReportData): Html {
  if (daos.length === 0) return html`<p>Every tracked DAO has a score.</p>`;
  return htmlTable("Tracked DAOs without a score", daos, [
    nameColumn("DAO", ({ name }) => name),
    { heading: "Category", of: ({ category }) => spell.word(category) },
    proseColumn("Why", ({ reason }) => reason.message),
    {
      heading: "Scores between",
      of: ({ interval }) =>
        html`<ul><li>GVS ${ends(interval.gvs)}</li>${COMPONENT_KEYS.map(
          (key) => html`<li>${names[key].name} ${ends(interval[key])}</li>`,
        )}</ul>`,
    },
    proseColumn("Not known, and where it would come from", missing),
  ]);
}

function findings({ run }: ReportData): Html {
  if (run.findings.length === 0) return html`<p>Nothing out of the ordinary was found.</p>`;
  return htmlTable("Findings", run.findings, [
    nameColumn("Code", ({ code }) => html`<code>${code}</code>`),
    { heading: "DAO", of: ({ space_id }) => space_id ?? "all" },
    proseColumn("What", ({ message }) => message),
  ]);
}

function rejected({ run }: ReportData): Html {
  if (run.rejected_total === 0) return html`<p>Every row of input was taken as it stood.</p>`;
  const shown = run.rejected.slice(0, REJECTED_SHOWN);
  return html`<p>${spell.count(run.rejected_total)} ${run.rejected_total === 1 ? "row was" : "rows were"} not taken as ${run.rejected_total === 1 ? "it" : "they"} stood${shown.length < run.rejected_total ? `; the first ${shown.length} are` : ""}:</p>
${htmlTable("Rejected rows", shown, [
  nameColumn("Code", ({ code }) => html`<code>${code}</code>`),
  { heading: "DAO", of: ({ space_id }) => space_id ?? "–" },
  { heading: "Where", of: ({ file, line }) => (line === null ? file : `${file}, line ${line}`) },
  proseColumn("Why", ({ message }) => message),
])}`;
}

function fetches({ run }: ReportData): Html {
  if (run.fetches.length === 0) return html`<p>Nothing was fetched.</p>`;
  return htmlTable("The last fetch of each DAO", run.fetches, [
    nameColumn("DAO", ({ space_id }) => space_id),
    { heading: "Source", of: ({ source_id }) => source_id },
    {
      heading: "Came out",
      of: ({ status, error }) => (error === null ? status : `${status}: ${error.code}`),
    },
    { heading: "Fetched", of: ({ fetched_at }) => spell.moment(fetched_at) },
    numberColumn("Proposals", ({ proposals }) => spell.count(proposals)),
    numberColumn("Votes", ({ votes }) => spell.count(votes)),
  ]);
}

function completeness({ isFull, daos }: ReportData): Html {
  if (!isFull || daos.length === 0) return html``;
  return html`<section aria-labelledby="complete"><h2 id="complete">Completeness</h2>
${htmlTable("Data completeness by DAO", daos, [
  nameColumn("DAO", ({ dao }) => dao.name),
  numberColumn("Data that are there", ({ full }) =>
    full === undefined ? "–" : `${spell.score(full.detail.data_completeness)} %`,
  ),
])}</section>
`;
}

/** What the numbers rest on: sources, findings, rejected rows, and DAOs without a score. */
export function qualityPage(data: ReportData): Page {
  const { run, list, sources } = data;
  const total = list.length + data.unscored.length;
  const votes = sources.reduce((sum, each) => sum + each.votes, 0);
  return {
    path: "quality.html",
    title: "Data quality",
    description: "What the numbers rest on, and what is missing.",
    body: html`<h1>Data quality</h1>
<p class="lead">${list.length} of ${total} tracked DAOs are scored, from ${spell.count(votes)} votes; ${spell.count(run.rejected_total)} rejected ${run.rejected_total === 1 ? "row" : "rows"}, ${spell.count(run.findings.length)} ${run.findings.length === 1 ? "finding" : "findings"}.</p>
<section aria-labelledby="unscored"><h2 id="unscored">Without a score</h2>
${unscored(data)}</section>
<section aria-labelledby="findings"><h2 id="findings">Findings</h2>
${findings(data)}</section>
${completeness(data)}<section aria-labelledby="sources"><h2 id="sources">Sources</h2>
${fetches(data)}</section>
<section aria-labelledby="rejected"><h2 id="rejected">Rejected rows</h2>
${rejected(data)}</section>
`,
  };
}
