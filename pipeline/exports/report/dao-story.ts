import { labelOf } from "../../../snapshots/format/cuts.ts";
import { COMPONENT_KEYS } from "../../../snapshots/format/value-sets.ts";
import { type Html, html } from "./html.ts";
import type { DaoReport, ReportData } from "./report-data.ts";
import { spell } from "./spell.ts";

function place(report: DaoReport, { list }: ReportData): string {
  const { dao, full } = report;
  const alike = list.filter(({ category }) => category === dao.category);
  const inCategory = alike.findIndex(({ space_id }) => space_id === dao.space_id) + 1;
  const range = full?.evidence?.rank;
  const sure =
    range === undefined || range.best === range.worst
      ? ""
      : ` (by its interval, ${range.best} to ${range.worst})`;
  return `rank ${dao.rank} of ${list.length}${sure}, ${inCategory} of ${alike.length} in ${spell.word(dao.category)}`;
}

function pulls({ dao, full }: DaoReport, { names }: ReportData): Html {
  const ordered = COMPONENT_KEYS.map((key) => ({ key, score: dao.components[key] })).sort(
    (a, b) => b.score - a.score,
  );
  const [best] = ordered;
  const worst = ordered.at(-1);
  if (best === undefined || worst === undefined) return html``;
  const costliest = full?.evidence?.components.find(({ key }) => key === worst.key)?.costliest;
  const why =
    costliest === undefined
      ? ""
      : `, where most is lost on: ${costliest.asks} (${spell.tenth(costliest.points)} points)`;
  if (best.score === worst.score)
    return html`<p>All four components stand at ${spell.score(best.score)}.</p>`;
  return html`<p>It is strongest in <b>${names[best.key].name}</b> (${spell.score(best.score)}). What pulls it down: <b>${names[worst.key].name}</b> (${spell.score(worst.score)})${why}.</p>
`;
}

function caveats({ dao, full }: DaoReport): Html {
  const thin = full?.evidence?.thin;
  const isThin = thin?.gvsWithout !== undefined && thin.attentionSum < thin.attentionFull;
  const taken = isThin
    ? ` Its proposals weigh ${spell.tenth(thin.attentionSum)} of the ${thin.attentionFull} that count as full evidence, which draws the score towards 5; without that it would be ${spell.score(thin.gvsWithout ?? 0)}.`
    : "";
  const confidence =
    dao.gvs_confidence === "low"
      ? "Confidence is low: fewer than 20 proposals could be judged."
      : "Confidence is high: at least 20 proposals could be judged.";
  const completeness =
    full === undefined ? "" : ` ${spell.percent(full.detail.data_completeness)} of the data are there.`;
  return html`<p class="muted">${confidence}${taken}${completeness}</p>
`;
}

/** The score in one breath: how much, how sure, which place, and what pulls it down. */
export function daoStory(report: DaoReport, data: ReportData): Html {
  const { dao, full } = report;
  const interval = full?.evidence?.interval;
  const range =
    interval === undefined
      ? html``
      : html` <span class="range">[${spell.tenth(interval.low)}–${spell.tenth(interval.high)}]</span>`;
  return html`<div class="story">
<p class="figure"><b>${spell.score(dao.gvs)}</b> <span>of 10${range}</span></p>
<div><p class="lead">Scored ${spell.tenth(dao.gvs)} of 10${interval === undefined ? "" : ` [${spell.tenth(interval.low)}–${spell.tenth(interval.high)}]`}, ${labelOf(dao.gvs).toLowerCase()}: ${place(report, data)}; ${spell.change(dao.delta_24h)} in 24 hours.</p>
${pulls(report, data)}${caveats(report)}</div>
</div>
`;
}
