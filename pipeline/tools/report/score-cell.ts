import type { ComponentKey } from "../../../snapshots/format/value-sets.ts";
import { COMPONENT_TEXTS } from "../../score/method/indicators.ts";
import { type Html, html } from "../html.ts";
import { spell } from "../spell.ts";
import type { Ends } from "./charts.ts";
import { column } from "./page.ts";

/** An interval wider than this says more than its point. */
const WIDE_POINTS = 2;

/** A score in large and its interval in small, or the other way round where the interval is wide. */
export function scoreFigure(score: number | undefined, ends: Ends): readonly [figure: Html, note: string] {
  const range = ends === undefined ? "" : ends.map(spell.score).join("–");
  if (score === undefined) return [html`<b>${range}</b>`, ""];
  const isWide = ends !== undefined && ends[1] - ends[0] > WIDE_POINTS;
  const [large, small] = isWide ? [range, `best guess ${spell.score(score)}`] : [spell.score(score), range];
  return [html`<data value="${score}"><b>${large}</b></data>`, small];
}

/** A score in the cell of a table: its figure, its interval as a bar on an axis from 0 to 10 with the point as a tick, its note. */
export function scoreCell(score: number | undefined, ends: Ends): Html {
  const [figure, note] = scoreFigure(score, ends);
  const tenths = (points: number): string => (10 * points).toFixed(0);
  const [low, high] = ends ?? [0, 0];
  const range = html`<rect class="range" x="${tenths(low)}" y="3" width="${tenths(Math.max(high - low, 0.1))}" height="6"/>`;
  const tick = score === undefined ? "" : html`<path class="point" d="M${tenths(score)} 0v12"/>`;
  return html`${figure}<svg class="bar" width="100" height="12" viewBox="-1 0 102 12" aria-hidden="true" focusable="false"><path class="axis" d="M0 2v8M0 6H100M100 2v8"/>${ends && range}${tick}</svg>${note === "" ? "" : html`<small>${note}</small>`}`;
}

/** A score without its bar, where a row has many. */
export function plainScore(score: number, ends: Ends): Html {
  return html`${spell.score(score)}${ends && html`<small>${ends.map(spell.tenth).join("–")}</small>`}`;
}

export const COMPONENT_COLUMN = column.name(
  "Component",
  (key: ComponentKey) =>
    html`${spell.title(COMPONENT_TEXTS[key].name)}<small>${COMPONENT_TEXTS[key].asks}</small>`,
);
