import type { PlotOptions } from "@observablehq/plot";
import type { Marks } from "./charts.ts";
import { INK } from "./drawing.ts";
import type { FlowEnd, GraphLayout } from "./graph-layout.ts";
import { spell } from "./spell.ts";

/** Room for names on either side, with and without their shares. */
const MARGIN = { wide: 200, narrow: 112 } as const;

/** What fits there; a name may be a hundred characters long. */
const CHARACTERS_MAX = { wide: 22, narrow: 16 } as const;

function cut(name: string, charactersMax: number): string {
  const characters = [...name];
  return characters.length <= charactersMax ? name : `${characters.slice(0, charactersMax - 1).join("")}…`;
}

/** Two columns of accounts and the power that goes from the left to the right, as wide as its share. */
export function graphFlow(
  marks: Marks,
  { delegators, delegates, flows, height }: GraphLayout,
  width: number,
  isWide: boolean,
): PlotOptions {
  const margin = isWide ? MARGIN.wide : MARGIN.narrow;
  const label = ({ name, sharePct }: FlowEnd): string =>
    isWide
      ? `${cut(name, CHARACTERS_MAX.wide)} ${spell.percent(sharePct)}`
      : cut(name, CHARACTERS_MAX.narrow);
  const side = (ends: readonly FlowEnd[], x: number, isLeft: boolean) => [
    marks.ruleX(ends, {
      x,
      y1: ({ middle, half }: FlowEnd) => middle - Math.max(half, 0.5),
      y2: ({ middle, half }: FlowEnd) => middle + Math.max(half, 0.5),
      stroke: INK.accent,
      strokeWidth: 5,
    }),
    marks.text(ends, {
      x,
      y: "middle",
      text: label,
      textAnchor: isLeft ? "end" : "start",
      dx: isLeft ? -8 : 8,
      fontSize: isWide ? 12 : 11,
    }),
  ];
  return {
    width,
    height: height + 8,
    marginTop: 4,
    marginBottom: 4,
    marginLeft: margin,
    marginRight: margin,
    x: { domain: [0, 1], axis: null },
    y: { domain: [height, 0], axis: null },
    marks: [
      marks.link(flows, {
        x1: 0,
        x2: 1,
        y1: "from",
        y2: "to",
        curve: "bump-x",
        stroke: INK.accent,
        strokeOpacity: 0.28,
        strokeWidth: ({ width: flow }: { readonly width: number }) => Math.max(flow, 0.75),
        strokeLinecap: "butt",
      }),
      ...side(delegators, 0, true),
      ...side(delegates, 1, false),
    ],
  };
}
