import type { Concentration } from "../../snapshots/format/concentration.ts";
import { spell } from "./spell.ts";

interface Figure {
  readonly low: number;
  readonly point: number;
  readonly high: number | null;
}

/** A figure, and its interval unless both ends are printed alike. */
function figureText({ low, point, high }: Figure, print: (value: number) => string): string {
  if (high === null) return `${print(point)}, at least ${print(low)}`;
  return print(low) === print(high)
    ? print(point)
    : `${print(point)}, between ${print(low)} and ${print(high)}`;
}

/** How concentrated cast power is, as names and values; none if no power is known. */
export function concentrationTexts(concentration: Concentration | null | undefined) {
  if (concentration === null || concentration === undefined) return [];
  const { nakamoto, hhi_points: hhi, gini } = concentration;
  return [
    { name: "Nakamoto number: voters with more than half", value: figureText(nakamoto, spell.count) },
    { name: "HHI of cast power, of 10,000", value: figureText(hhi, spell.count) },
    { name: "Gini of cast power, of 1", value: figureText(gini, spell.score) },
  ];
}
