import { type DaoChange, FATE_WORDS, type ReportChanges } from "../compare/moves.ts";
import { type Html, html, spell } from "../html.ts";
import { htmlTable, nameColumn, numberColumn, type Page, proseColumn, type TableColumn } from "./page.ts";
import type { ReportData } from "./report-data.ts";

function difference(before: number | undefined, after: number | undefined): string {
  return before === undefined || after === undefined ? "–" : spell.change(after - before);
}

function columnsOf(isFull: boolean): TableColumn<DaoChange>[] {
  const risk: TableColumn<DaoChange> = numberColumn(
    "Risk",
    (each) => `${spell.known(each.riskBefore, spell.tenth)} → ${spell.known(each.riskAfter, spell.tenth)}`,
  );
  const mostly: TableColumn<DaoChange> = { heading: "Mostly by", of: (each) => each.mostly ?? "–" };
  const why: TableColumn<DaoChange> = proseColumn("Why", ({ why: words }) =>
    words === undefined || words === "" ? "–" : words,
  );
  return [
    nameColumn("DAO", ({ name }) => name),
    { heading: "What", of: ({ fate }) => FATE_WORDS[fate] },
    numberColumn("Before", ({ gvsBefore }) => spell.known(gvsBefore, spell.score)),
    numberColumn("Now", ({ gvsAfter }) => spell.known(gvsAfter, spell.score)),
    numberColumn("Change", (each) => difference(each.gvsBefore, each.gvsAfter)),
    numberColumn(
      "Rank",
      (each) => `${spell.known(each.rankBefore, String)} → ${spell.known(each.rankAfter, String)}`,
    ),
    ...(isFull ? [risk, why] : [mostly]),
  ];
}

function changed({ daos, unchanged }: ReportChanges): string {
  return `${daos.length} ${daos.length === 1 ? "DAO has" : "DAOs have"} changed, ${unchanged} ${unchanged === 1 ? "has" : "have"} not.`;
}

function changesTable(caption: string, changes: ReportChanges, isFull: boolean): Html {
  const { constants, daos } = changes;
  const method =
    constants.length === 0 ? html`` : html`<p>The method changed as well: ${constants.join(", ")}.</p>`;
  return html`${method}${daos.length === 0 ? html`` : htmlTable(caption, daos, columnsOf(isFull))}`;
}

/** By the history of the version itself, so that the first version has it too. */
function past({ pastChanges: changes, isFull }: ReportData): Html {
  if (changes === undefined) return html`<p class="lead">There is no history yet.</p>`;
  const [from, to] = [spell.day(changes.fromAsOf), spell.day(changes.toAsOf)];
  return html`<p class="lead">From ${from} to ${to}: ${changed(changes)}</p>
<p class="muted">Each day as of its end, by the method of now.${isFull ? " In brackets the indicator that did most, by the proposals as they are measured now." : ""} Scores are rounded to hundredths, each by itself: a change may be off by .01.</p>
${changesTable("What changed by day", changes, isFull)}`;
}

function sinceVersion({ changes, isFull }: ReportData): Html {
  if (changes === undefined) return html`<p>No version before this one is kept.</p>`;
  return html`<p>Since ${spell.moment(changes.fromAsOf)}, version <code>${changes.fromVersion}</code>: ${changed(changes)}</p>
${changesTable("What changed since the version before", changes, isFull)}`;
}

/** What changed over the last days, and since the version before. */
export function changesPage(data: ReportData): Page {
  return {
    path: "changes.html",
    title: "Changes",
    description: "Which scores moved over the last days and since the version before, and why.",
    body: html`<h1>What has changed</h1>
${past(data)}
<section aria-labelledby="version"><h2 id="version">Since the version before</h2>
${sinceVersion(data)}</section>
`,
  };
}
