import type { ExplainResult } from "../../readers/explain/explain.ts";
import { formatEnds, spoken } from "../terminal/numbers.ts";
import { formatTable, indented, right, wrap } from "../terminal/table.ts";

type Component = ExplainResult["story"]["components"][number];
type Indicator = Component["indicators"][number];

/** The table of the four components: points, certainty, and the effect of one more point. */
export function formatComponents(components: readonly Component[]): string {
  return indented(
    formatTable(components, [
      { heading: "component", of: ({ key, name }) => `${key} ${name}` },
      right("points", ({ score }) => score.point.toFixed(2)),
      { heading: "", of: ({ score }) => score.label },
      { heading: "between", of: ({ score }) => formatEnds(score) },
      right("weight", ({ weight }) => `${Math.round(100 * weight)} %`),
      right("+1 adds", ({ gvsPerPoint }) => `+${gvsPerPoint.toFixed(2)}`),
    ]),
  );
}

const percent = (share: number): string => `${Math.round(100 * share)}`;

const marks = ({ low, high, isKnown }: Indicator): string => {
  if (!isKnown) return "not known";
  return percent(low) === percent(high) ? `${percent(low)} %` : `${percent(low)} to ${percent(high)} %`;
};

/** One component: its question, what each indicator contributes, and what is unknown. */
export function formatComponent({
  key,
  name,
  asks,
  score,
  indicators,
  notKnown,
  costliest,
}: Component): string {
  const rows = [
    ...indicators.map((each) => ({
      id: spoken(each.id),
      earns: marks(each),
      points: `${each.points.toFixed(2)} of ${each.pointsMost.toFixed(2)}`,
    })),
    { id: "not known", earns: "", points: notKnown.toFixed(2) },
  ];
  const table = formatTable(rows, [
    { heading: "indicator", of: ({ id }) => id },
    right("earns", ({ earns }) => earns),
    right("points", ({ points }) => points),
  ]);
  const notes = indicators.map((each) =>
    wrap(
      `${spoken(each.id)}: ${each.asks}${each.isKnown ? "" : `; its source would be ${each.source}`}`,
      "  - ",
    ),
  );
  const costs =
    costliest === undefined
      ? ""
      : wrap(`Costs the most: ${spoken(costliest.id)}, ${costliest.cost.toFixed(2)} points.`, "  ");
  const header = wrap(
    `${key.toUpperCase()} ${name} ${score.point.toFixed(2)}, ${score.label}, from ${formatEnds(score)}. ${asks}`,
  );
  return `${header}${indented(table)}${notes.join("")}${costs}`;
}
