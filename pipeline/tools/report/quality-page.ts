import { type Html, html } from "../html.ts";
import { spell } from "../spell.ts";
import {
  foldedTable,
  listedSections,
  nameColumn,
  numberColumn,
  type Page,
  proseColumn,
  type Section,
  type TableColumn,
} from "./page.ts";
import type { DaoReport, ReportData } from "./report-data.ts";

const REJECTED_SHOWN = 100;

/** A cell of messages: findings and rejected rows come by the thousand, so one kind is one fold. */
function byCode<Row extends { readonly code: string }>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
): Html {
  const codes = [...new Set(rows.map(({ code }) => code))];
  return html`${codes.map((code) => {
    const same = rows.filter((row) => row.code === code);
    return foldedTable(`${code} (${spell.count(same.length)})`, same, columns, { shown: 0 });
  })}`;
}

const messageColumn = proseColumn<{ readonly message: string }>("Message", ({ message }) => message);

function findings({ run }: ReportData): Html {
  if (run.findings.length === 0) return html`<p>There are no findings.</p>`;
  return byCode(run.findings, [nameColumn("DAO", ({ space_id }) => space_id ?? "all"), messageColumn]);
}

function rejected({ run }: ReportData): Html {
  if (run.rejected_total === 0) return html`<p>No row of the input was rejected.</p>`;
  const shown = run.rejected.slice(0, REJECTED_SHOWN);
  const first = shown.length < run.rejected_total ? ` The first ${shown.length} are listed.` : "";
  const counted = spell.counted(run.rejected_total, "row");
  return html`<p>${counted} of the input ${run.rejected_total === 1 ? "was" : "were"} rejected, or taken without the part that is wrong.${first}</p>
${byCode(shown, [
  nameColumn("DAO", ({ space_id }) => space_id ?? "–"),
  {
    heading: "Where",
    of: ({ file, line }) => (line === null ? file : `${file}, line ${line}`),
  },
  messageColumn,
])}`;
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

/** What the numbers rest on: sources, findings and rejected rows. */
export function qualityPage(data: ReportData): Page {
  const { run, list, sources } = data;
  const total = list.length + data.unscored.length;
  const votes = sources.reduce((sum, source) => sum + source.votes, 0);
  return {
    path: "quality.html",
    title: "Data quality",
    description: "What the numbers rest on, and what is missing.",
    body: html`<h1>Data quality</h1>
<p class="lead">${list.length} of ${total} tracked DAOs have a score. ${spell.count(votes)} votes are known, of DAOs with and without a score. There ${run.rejected_total === 1 ? "is" : "are"} ${spell.counted(run.rejected_total, "rejected row")} and ${spell.counted(run.findings.length, "finding")}.</p>
${listedSections([
  { id: "findings", title: "Findings", body: findings(data) },
  completeness(data),
  { id: "sources", title: "Sources", body: fetches(data) },
  { id: "rejected", title: "Rejected rows", body: rejected(data) },
])}`,
  };
}
