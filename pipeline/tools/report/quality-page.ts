import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { INDICATORS } from "../../score/method/indicators.ts";
import { type Html, html } from "../html.ts";
import { spell } from "../spell.ts";
import {
  folded,
  foldedTable,
  listedSections,
  nameColumn,
  numberColumn,
  type Page,
  type Section,
} from "./page.ts";
import type { DaoReport, ReportData } from "./report-data.ts";

const REJECTED_SHOWN = 100;

/** So many characters of a message are seen at once. */
const MESSAGE_SEEN = 200;

type Unscored = ReportData["unscored"][number];

const ends = (pair: readonly [number, number]): string => pair.map(spell.score).join("–");

/** What is not known, by where it would come from. */
function missing({ not_known: unknown }: Unscored): Html {
  const sources = [...new Set(unknown.map(({ source }) => source))];
  const unknownFrom = (source: string) =>
    unknown.filter((row) => row.source === source).map(({ id }) => spell.word(id));
  const list = html`<ul>${sources.map((source) => html`<li>${unknownFrom(source).join(", ")}: ${source}</li>`)}</ul>`;
  return folded(`${unknown.length} of ${INDICATORS.length} indicators`, list);
}

function unscored({ unscored: daos, names }: ReportData): Html {
  if (daos.length === 0) return html`<p>Every tracked DAO has a score.</p>`;
  return html`<p>Each of these DAOs has only an interval, which is too wide for a score.</p>
${foldedTable(
  "Tracked DAOs without a score",
  daos,
  [
    nameColumn("DAO", ({ name }) => name),
    numberColumn("Score", ({ interval }) => ends(interval.gvs)),
    ...COMPONENT_KEYS.map((key) =>
      numberColumn(spell.title(names[key].name), ({ interval }: Unscored) => ends(interval[key])),
    ),
    { heading: "Not known", of: missing },
  ],
  { noteOf: ({ reason }) => reason.message },
)}`;
}

/** A message, in short where it lists more than one sees at a glance. */
function shortMessage({ message }: { readonly message: string }): string | Html {
  const [summary = "", ...rest] = message.split(": ");
  return message.length > MESSAGE_SEEN && rest.length > 0
    ? folded(summary, html`${rest.join(": ")}`)
    : message;
}

function findings({ run }: ReportData): Html {
  if (run.findings.length === 0) return html`<p>There are no findings.</p>`;
  const columns = [
    nameColumn("DAO", ({ space_id }: ReportData["run"]["findings"][number]) => space_id ?? "all"),
    { heading: "Code", of: ({ code }: { readonly code: string }) => html`<code>${code}</code>` },
  ];
  return foldedTable("Findings", run.findings, columns, { noteOf: shortMessage });
}

function rejected({ run }: ReportData): Html {
  if (run.rejected_total === 0) return html`<p>No row of the input was rejected.</p>`;
  const shown = run.rejected.slice(0, REJECTED_SHOWN);
  const first = shown.length < run.rejected_total ? ` The first ${shown.length} are listed.` : "";
  const columns = [
    nameColumn("DAO", ({ space_id }: (typeof shown)[number]) => space_id ?? "–"),
    {
      heading: "Where",
      of: ({ file, line }: (typeof shown)[number]) => (line === null ? file : `${file}, line ${line}`),
    },
    { heading: "Code", of: ({ code }: { readonly code: string }) => html`<code>${code}</code>` },
  ];
  return html`<p>${spell.count(run.rejected_total)} ${run.rejected_total === 1 ? "row" : "rows"} of the input ${run.rejected_total === 1 ? "was" : "were"} rejected, or taken without the part that is wrong.${first}</p>
${foldedTable("Rejected rows", shown, columns, { noteOf: shortMessage })}`;
}

function fetches({ run }: ReportData): Html {
  if (run.fetches.length === 0) return html`<p>Nothing was fetched.</p>`;
  return foldedTable("The last fetch of each DAO", run.fetches, [
    nameColumn("DAO", ({ space_id }) => space_id),
    { heading: "Source", of: ({ source_id }) => source_id },
    {
      heading: "Result",
      of: ({ status, error }) => (error === null ? status : `${status}: ${error.code}`),
    },
    { heading: "Fetched", of: ({ fetched_at }) => spell.moment(fetched_at) },
    numberColumn("Proposals", ({ proposals }) => spell.count(proposals)),
    numberColumn("Votes", ({ votes }) => spell.count(votes)),
  ]);
}

function completeness({ isFull, daos }: ReportData): Section | undefined {
  if (!isFull || daos.length === 0) return undefined;
  const columns = [
    nameColumn("DAO", ({ dao }: DaoReport) => dao.name),
    numberColumn("Complete", ({ full }: DaoReport) =>
      full === undefined ? "–" : spell.percent(full.detail.data_completeness),
    ),
  ];
  return {
    id: "complete",
    title: "Completeness",
    body: foldedTable("Completeness of the data by DAO", daos, columns),
  };
}

/** What the numbers rest on: sources, findings, rejected rows, and DAOs without a score. */
export function qualityPage(data: ReportData): Page {
  const { run, list, sources } = data;
  const total = list.length + data.unscored.length;
  const votes = sources.reduce((sum, source) => sum + source.votes, 0);
  return {
    path: "quality.html",
    title: "Data quality",
    description: "What the numbers rest on, and what is missing.",
    body: html`<h1>Data quality</h1>
<p class="lead">${list.length} of ${total} tracked DAOs have a score. ${spell.count(votes)} votes are known, of DAOs with and without a score. There ${run.rejected_total === 1 ? "is" : "are"} ${spell.count(run.rejected_total)} rejected ${run.rejected_total === 1 ? "row" : "rows"} and ${spell.count(run.findings.length)} ${run.findings.length === 1 ? "finding" : "findings"}.</p>
${listedSections([
  { id: "unscored", title: "DAOs without a score", body: unscored(data) },
  { id: "findings", title: "Findings", body: findings(data) },
  completeness(data),
  { id: "sources", title: "Sources", body: fetches(data) },
  { id: "rejected", title: "Rejected rows", body: rejected(data) },
])}`,
  };
}
