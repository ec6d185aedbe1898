import type { PlotOptions } from "@observablehq/plot";
import type { DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { cleanText, shortAddress } from "../../../snapshots/format/text.ts";
import { createDraw, INK, type Marks, type PictureText, svgFile } from "../drawing.ts";
import { spell } from "../html.ts";
import { type FlowEnd, type GraphLayout, layOutGraph } from "./graph-layout.ts";

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

/** How far the power can be followed, in words; not rounded up to all of it. */
function tracedWords({ totals }: DelegationGraph): string {
  const { votes, traced_votes: traced } = totals;
  if (traced === votes) return "it is known who delegated all of the power";
  if (traced === "0") return "the logs do not tell who delegated the power";
  const tracedPct = (100 * Number(traced)) / Number(votes);
  return `it is known who delegated ${spell.percent(Math.min(tracedPct, 99.9))} of the power`;
}

/** What a picture of the graph says to whoever cannot see it. */
export function graphText(graph: DelegationGraph, name: string): Omit<PictureText, "id"> {
  const { totals, delegations } = graph;
  const own = delegations.filter((each) => each.is_self).length;
  const strongest = delegations[0];
  const first =
    strongest === undefined
      ? ""
      : ` The strongest delegator gives ${spell.percent(strongest.votes_share_pct)}${strongest.is_self ? ", to itself" : ""}.`;
  return {
    title: `Who delegates to whom in ${name}`,
    description: `${spell.count(totals.delegators)} delegators on the left, ${spell.count(totals.delegates)} delegates on the right.${first} Of the ${delegations.length} delegators that are named, ${own} delegate to themselves; ${tracedWords(graph)}.`,
  };
}

/** A graph whose names can stand in XML; a name of nothing else gives way to the address. */
export function withXmlNames(graph: DelegationGraph): DelegationGraph {
  const delegates = graph.delegates.map((each) => {
    const name = cleanText(each.display_name);
    return { ...each, display_name: name === "" ? shortAddress(each.address) : name };
  });
  return { ...graph, delegates };
}

/** A graph as an SVG file that asks for nothing; the same for the same graph. */
export async function graphPicture(graph: DelegationGraph): Promise<string> {
  const [draw, marks] = [await createDraw(), await import("@observablehq/plot")];
  const text = { id: "delegation-graph", ...graphText(graph, graph.space_id) };
  return svgFile(draw(graphFlow(marks, layOutGraph(withXmlNames(graph)), 760, true), text));
}
