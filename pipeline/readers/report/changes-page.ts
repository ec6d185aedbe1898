import { type DaoChange, FATE_WORDS, type ReportChanges } from "../compare/moves.ts";
import { type Html, html, spell } from "../html.ts";
import { htmlTable, type Page, type TableColumn } from "./page.ts";
import type { ReportData } from "./report-data.ts";

function difference(before: number | undefined, after: number | undefined): string {
  return before === undefined || after === undefined ? "–" : spell.change(after - before);
}

function columnsOf(isFull: boolean): TableColumn<DaoChange>[] {
  const risk: TableColumn<DaoChange> = {
    heading: "Risk",
    of: (each) =>
      `${spell.known(each.riskBefore, spell.tenth)} → ${spell.known(each.riskAfter, spell.tenth)}`,
    isNumber: true,
  };
  return [
    { heading: "DAO", of: ({ name }) => name, isRowName: true },
    { heading: "What", of: ({ fate }) => FATE_WORDS[fate] },
    { heading: "Before", of: ({ gvsBefore }) => spell.known(gvsBefore, spell.score), isNumber: true },
    { heading: "Now", of: ({ gvsAfter }) => spell.known(gvsAfter, spell.score), isNumber: true },
    { heading: "Change", of: (each) => difference(each.gvsBefore, each.gvsAfter), isNumber: true },
    {
      heading: "Rank",
      of: (each) => `${spell.known(each.rankBefore, String)} → ${spell.known(each.rankAfter, String)}`,
      isNumber: true,
    },
    { heading: "Mostly by", of: ({ mostly }) => mostly ?? "–" },
    ...(isFull ? [risk] : []),
  ];
}

function told(changes: ReportChanges, isFull: boolean): Html {
  const { constants, daos, unchanged } = changes;
  const method =
    constants.length === 0 ? html`` : html`<p>The method changed as well: ${constants.join(", ")}.</p>`;
  return html`<p class="lead">${daos.length} ${daos.length === 1 ? "DAO has" : "DAOs have"} changed since ${spell.moment(changes.fromAsOf)}, ${unchanged} ${unchanged === 1 ? "has" : "have"} not.</p>
<p class="muted">Compared with version <code>${changes.fromVersion}</code>. Scores are rounded to hundredths, each by itself: a change may be off by .01.</p>
${method}${daos.length === 0 ? html`` : htmlTable("What changed", columnsOf(isFull), daos)}`;
}

/** What changed since the version before. */
export function changesPage({ changes, isFull }: ReportData): Page {
  return {
    path: "changes.html",
    title: "Changes",
    description: "Which scores moved since the version before.",
    body: html`<h1>Changes since the last version</h1>
${changes === undefined ? html`<p class="lead">No version before this one is kept.</p>` : told(changes, isFull)}`,
  };
}
