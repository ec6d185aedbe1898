import type { ExplainResult } from "../../readers/explain/explain.ts";
import { formatTable, indented, right, wrap } from "../terminal/table.ts";

type Component = ExplainResult["story"]["components"][number];
type Score = Component["score"];
type Indicator = Component["indicators"][number];
type Measure = Indicator["measure"];

const WRITTEN: Readonly<Record<Measure, (value: number) => string>> = {
  percent: (value) => `${(100 * value).toFixed(1)} %`,
  days: (value) => `${value.toFixed(1)} days`,
  heads: (value) => (value < 100 ? value.toFixed(1) : Math.round(value).toLocaleString("en")),
  number: (value) => value.toFixed(1),
};

/** A goalpost is a round number. */
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

/** A change with its sign; what rounds to nothing is no decrease. */
export function formatChange(value: number, decimals = 2): string {
  const text = value.toFixed(decimals);
  return Number(text) === 0 ? `+${Math.abs(0).toFixed(decimals)}` : value < 0 ? text : `+${text}`;
}

/** A score as it is published, or a dash. */
export function formatScore(score: Score): string {
  return "points" in score ? score.points.toFixed(2) : "-";
}

/** An id as people write it. */
export function spoken(id: string): string {
  return id.replaceAll("_", " ");
}

/** Ids are up to 66 characters; this much of one finds it. */
const ID_COLUMNS = 14;

/** The beginning of a long id. */
export function shortId(id: string): string {
  return id.length <= ID_COLUMNS ? id : `${id.slice(0, ID_COLUMNS - 1)}…`;
}

/** The four components in a table: points, how sure, and what one more point would do. */
export function formatComponents(components: readonly Component[]): string {
  return indented(
    formatTable<Component>(
      [
        { heading: "component", of: ({ key, name }) => `${key} ${name}` },
        { heading: "points", of: ({ score }) => formatScore(score), align: "right" },
        { heading: "", of: ({ score }) => ("points" in score ? score.label : "missing") },
        {
          heading: "90 % interval",
          of: ({ interval }) =>
            interval === undefined ? "" : `${interval.low.toFixed(2)} to ${interval.high.toFixed(2)}`,
        },
        { heading: "weight", of: ({ weight }) => `${Math.round(100 * weight)} %`, align: "right" },
        right("+1 adds", ({ gvsPerPoint }) =>
          gvsPerPoint === undefined ? "" : `+${gvsPerPoint.toFixed(2)}`,
        ),
      ],
      components,
    ),
  );
}

function formatIndicators(indicators: readonly Indicator[]): string {
  return indented(
    formatTable<Indicator>(
      [
        { heading: "indicator", of: ({ id }) => spoken(id) },
        { heading: "measured", of: ({ raw, measure }) => formatMeasured(measure, raw), align: "right" },
        { heading: "nothing at", of: (each) => GOALPOST[each.measure](each.noMarksAt), align: "right" },
        { heading: "full at", of: (each) => GOALPOST[each.measure](each.fullMarksAt), align: "right" },
        right("earns", ({ value }) => (value === undefined ? "-" : `${Math.round(100 * value)} %`)),
        right("points", ({ role, points, pointsMost }) =>
          role === "factor"
            ? "times all"
            : pointsMost === 0
              ? "-"
              : `${points.toFixed(2)} of ${pointsMost.toFixed(2)}`,
        ),
      ],
      indicators,
    ),
  );
}

/** What stands below the table: what each row is, and what the points lost. */
function formatNotes({ key, indicators, costliest, before, score, isCapped }: Component): string {
  const rows = indicators.map(({ id, asks, way }) =>
    wrap(`${spoken(id)}: ${asks}${way === undefined ? "" : ` (${way})`}`, "  - "),
  );
  const losses: string[] = [];
  if (key === "pdi") {
    losses.push(
      "Marks are given by proposal: what an indicator earns is their mean, not the marks of what is measured on average.",
    );
  }
  if (costliest !== undefined) {
    losses.push(`Costs the most: ${spoken(costliest.id)}, ${costliest.points.toFixed(2)} points.`);
  }
  if (isCapped && "points" in before) {
    losses.push(
      `Coordination could not be looked at, so that it is held at ${before.points.toFixed(2)}: what nobody saw never raises a score.`,
    );
  }
  if ("points" in before && "points" in score && before.points - score.points > 0.005) {
    losses.push(
      `Thin evidence takes ${(before.points - score.points).toFixed(2)}: ${before.points.toFixed(2)} becomes ${score.points.toFixed(2)}.`,
    );
  }
  return `${rows.join("")}${losses.map((loss) => wrap(loss, "  ")).join("")}`;
}

/** A component without points: why, what would be needed, and what it would be made of. */
function formatMissing(component: Component, gap: Exclude<Score, { readonly points: number }>): string {
  const { indicators } = component;
  const isNothingKnown = indicators.every(({ raw }) => raw === undefined);
  const parts = indicators.map(({ id }) => spoken(id)).join(", ");
  return [
    wrap(`Missing: ${gap.message}`, "  "),
    gap.need === "" ? "" : wrap(`Needed: ${gap.need}.`, "  "),
    isNothingKnown
      ? wrap(`It would be made of ${parts}.`, "  ")
      : `${formatIndicators(indicators)}${formatNotes(component)}`,
  ].join("");
}

/** One component: its question, its indicators between their goalposts, and what they were worth. */
export function formatComponent(component: Component): string {
  const { key, name, asks, score, indicators } = component;
  const title = `${key.toUpperCase()} ${name}`;
  if (!("points" in score)) return `${wrap(`${title}: ${asks}`)}${formatMissing(component, score)}`;
  const head = wrap(`${title} ${formatScore(score)}, ${score.label}. ${asks}`);
  return `${head}${formatIndicators(indicators)}${formatNotes(component)}`;
}
