import { type Studio, scoreLine } from "./charts.ts";
import { type Html, html } from "./html.ts";
import type { DaoReport } from "./report-data.ts";
import { spell } from "./spell.ts";
import { foldedTable } from "./table.ts";

const DAYS_SHOWN = 365;

/** The score of a year, as a line and as numbers. */
export function daoHistory({ dao, full }: DaoReport, studio: Studio): Html {
  const points = (full?.history?.points ?? []).slice(-DAYS_SHOWN);
  const [first] = points;
  const last = points.at(-1);
  if (first === undefined || last === undefined || points.length < 2) return html``;
  const values = points.map(({ date, gvs }) => ({ day: date, value: gvs }));
  return html`<section aria-labelledby="history"><h2 id="history">The last year</h2>
${scoreLine(studio, values, {
  id: "history-line",
  title: `GVS of ${dao.name} by day`,
  description: `From ${spell.score(first.gvs)} on ${first.date} to ${spell.score(last.gvs)} on ${last.date}.`,
})}
${foldedTable(
  `The numbers of ${points.length} days`,
  [
    { heading: "Day", of: ({ date }) => date, isRowName: true },
    { heading: "GVS", of: ({ gvs }) => spell.score(gvs), isNumber: true },
    { heading: "HPR", of: ({ components }) => spell.score(components.hpr), isNumber: true },
    { heading: "DEI", of: ({ components }) => spell.score(components.dei), isNumber: true },
    { heading: "PDI", of: ({ components }) => spell.score(components.pdi), isNumber: true },
    { heading: "GPI", of: ({ components }) => spell.score(components.gpi), isNumber: true },
    {
      heading: "Risk",
      of: ({ risk_score }) => (risk_score === undefined ? "–" : spell.tenth(risk_score)),
      isNumber: true,
    },
  ],
  points.toReversed(),
)}</section>
`;
}
