import { type Html, html } from "../html.ts";
import { spell } from "../spell.ts";
import {
  column,
  foldedTable,
  listedSections,
  longTable,
  type Page,
  type Section,
  type TableColumn,
} from "./page.ts";
import type { ReportData } from "./report-data.ts";

const REJECTED_SHOWN = 100;

/** Findings and rejected rows come by the thousand, so one kind is one fold. */
function byCode<Row extends { readonly code: string }>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
): Html {
  const codes = [...new Set(rows.map(({ code }) => code))];
  return html`${codes.map((code) => {
    const same = rows.filter((row) => row.code === code);
    return foldedTable(`${code} (${spell.count(same.length)})`, same, columns);
  })}`;
}

function findings({ run }: ReportData): Html {
  if (run.findings.length === 0) return html`<p>There are no findings.</p>`;
  return byCode(run.findings, [
    column.name("DAO", ({ space_id }) => space_id ?? "all"),
    column.prose("Message", ({ message }) => message),
  ]);
}

function rejected({ run }: ReportData): Html {
  if (run.rejected_total === 0) return html`<p>No row of the input was rejected.</p>`;
  const shown = run.rejected.slice(0, REJECTED_SHOWN);
  const first = shown.length < run.rejected_total ? ` The first ${shown.length} are listed.` : "";
  const counted = spell.counted(run.rejected_total, "row");
  return html`<p>${counted} of the input ${run.rejected_total === 1 ? "was" : "were"} rejected, or taken without the part that is wrong.${first}</p>
${byCode(shown, [
  column.name("DAO", ({ space_id }) => space_id ?? "–"),
  column.text("Where", ({ file, line }) => (line === null ? file : `${file}, line ${line}`)),
  column.prose("Message", ({ message }) => message),
])}`;
}

function fetches({ run }: ReportData): Html {
  if (run.fetches.length === 0) return html`<p>Nothing was fetched.</p>`;
  return longTable("The last fetch of each DAO", run.fetches, [
    column.name("DAO", ({ space_id }) => space_id),
    column.text("Source", ({ source_id }) => source_id),
    column.text("Result", ({ status, error }) => (error === null ? status : `${status}: ${error.code}`)),
    column.text("Fetched", ({ fetched_at }) => spell.moment(fetched_at)),
    column.number("Proposals", ({ proposals }) => spell.count(proposals)),
    column.number("Votes", ({ votes }) => spell.count(votes)),
  ]);
}

function completeness({ isFull, daos }: ReportData): Section | undefined {
  if (!isFull || daos.length === 0) return undefined;
  const body = longTable("Completeness of the data by DAO", daos, [
    column.name("DAO", ({ dao }) => dao.name),
    column.number("Complete", ({ full }) => spell.known(full?.detail.data_completeness, spell.percent)),
  ]);
  return { id: "complete", title: "Completeness", body };
}

export function qualityPage(data: ReportData): Page {
  const { run, daos, sources } = data;
  const total = daos.length + data.unscored.length;
  const votes = sources.reduce((sum, source) => sum + source.votes, 0);
  return {
    path: "quality.html",
    title: "Data quality",
    description: "What the numbers rest on, and what is missing.",
    body: html`<h1>Data quality</h1>
<p class="lead">${daos.length} of ${total} tracked DAOs have a score. ${spell.count(votes)} votes are known, of DAOs with and without a score. There ${run.rejected_total === 1 ? "is" : "are"} ${spell.counted(run.rejected_total, "rejected row")} and ${spell.counted(run.findings.length, "finding")}.</p>
${listedSections([
  { id: "findings", title: "Findings", body: findings(data) },
  completeness(data),
  { id: "sources", title: "Sources", body: fetches(data) },
  { id: "rejected", title: "Rejected rows", body: rejected(data) },
])}`,
  };
}
