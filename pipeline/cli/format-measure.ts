import type { ExplainResult } from "../run/explain.ts";

/** How a measured number is to be written. */
export type Measure = ExplainResult["story"]["components"][number]["indicators"][number]["measure"];

const WRITTEN: Readonly<Record<Measure, (value: number) => string>> = {
  percent: (value) => `${(100 * value).toFixed(1)} %`,
  days: (value) => `${value.toFixed(1)} days`,
  heads: (value) => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString("en")),
  number: (value) => value.toFixed(1),
};

const GOALPOST: Readonly<Record<Measure, (value: number) => string>> = {
  percent: (value) => `${Math.round(100 * value)} %`,
  days: (value) => `${value} ${value === 1 ? "day" : "days"}`,
  heads: (value) => value.toLocaleString("en"),
  number: (value) => String(value),
};

/** A measured number with its unit. */
export function formatMeasured(measure: Measure, value: number | undefined): string {
  return value === undefined ? "unknown" : WRITTEN[measure](value);
}

/** A goalpost with its unit: a round number. */
export function formatGoalpost(measure: Measure, value: number): string {
  return GOALPOST[measure](value);
}

/** A change with its sign; what rounds to nothing is no decrease. */
export function formatChange(value: number, decimals = 2): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? `+${Math.abs(0).toFixed(decimals)}` : value < 0 ? text : `+${text}`;
}
