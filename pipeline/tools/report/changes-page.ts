import { type DaoChange, FATE_WORDS, type ReportChanges } from "../compare/moves.ts";
import { type Html, html } from "../html.ts";
import { spell } from "../spell.ts";
import { column, htmlTable, type Page, sectionsOf } from "./page.ts";
import type { ReportData } from "./report-data.ts";

const arrow = (before: number | undefined, after: number | undefined, say: (value: number) => string) =>
  `${spell.known(before, say)} → ${spell.known(after, say)}`;

function changesTable(caption: string, { constants, daos }: ReportChanges, isFull: boolean): Html {
  const method = constants.length === 0 ? "" : html`<p>The method changed too: ${constants.join(", ")}.</p>`;
  if (daos.length === 0) return html`${method}`;
  const columns = [
    column.name("DAO", ({ name }: DaoChange) => name),
    column.number("Change", ({ gvsBefore: before, gvsAfter: after }: DaoChange) =>
      before === undefined || after === undefined ? "–" : spell.change(after - before),
    ),
    column.number("Score", (dao: DaoChange) => arrow(dao.gvsBefore, dao.gvsAfter, spell.score)),
    column.number("Rank", (dao: DaoChange) => arrow(dao.rankBefore, dao.rankAfter, String)),
    ...(isFull
      ? [column.number("Risk", (dao: DaoChange) => arrow(dao.riskBefore, dao.riskAfter, spell.tenth))]
      : []),
  ];
  /** What became of a DAO, and what moved it most: in full down to indicators. */
  const whyOf = ({ fate, why, mostly }: DaoChange): string =>
    [fate === "moved" ? "" : FATE_WORDS[fate], isFull ? why : mostly && `mostly ${mostly}`]
      .filter(Boolean)
      .join("; ");
  return html`${method}${htmlTable(caption, daos, columns, whyOf)}`;
}

const changed = ({ daos, unchanged }: ReportChanges): string =>
  `${daos.length} of ${daos.length + unchanged} DAOs changed.`;

/** By the history of the version itself, so that the first version has it too. */
function past({ pastChanges: changes, isFull }: ReportData): Html {
  if (changes === undefined) return html`<p class="lead">There is no history yet.</p>`;
  return html`<p class="lead">From ${spell.day(changes.fromAsOf)} to ${spell.day(changes.toAsOf)}: ${changed(changes)}</p>
<p class="muted">Both days are scored as of their end with the current method.${isFull ? " The indicator in brackets contributed most; it is computed from the proposals as they are measured now." : ""} Each score is rounded to two decimals, so a change can be off by 0.01.</p>
${changesTable("Changes over these days", changes, isFull)}`;
}

function sinceVersion({ changes, isFull }: ReportData): Html {
  if (changes === undefined) return html`<p>No earlier version is kept.</p>`;
  return html`<p>Since ${spell.moment(changes.fromAsOf)}, version <code>${changes.fromVersion}</code>: ${changed(changes)}</p>
${changesTable("Changes since the previous version", changes, isFull)}`;
}

export function changesPage(data: ReportData): Page {
  return {
    path: "changes.html",
    title: "Changes",
    description: "Which scores moved over the last days and since the previous version, and why.",
    body: html`<h1>What has changed</h1>
${past(data)}
${sectionsOf([{ id: "version", title: "Since the previous version", body: sinceVersion(data) }])}`,
  };
}
