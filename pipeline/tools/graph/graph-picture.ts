import type { PlotOptions } from "@observablehq/plot";
import type { DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { cleanText, shortAddress } from "../../../snapshots/format/text.ts";
import { createDraw, INK, type Marks, type PictureText, svgFile } from "../drawing.ts";
import { spell } from "../spell.ts";
import { type FlowEnd, type GraphLayout, layOutGraph } from "./graph-layout.ts";

/** Margins for names on either side, with and without shares. */
const MARGIN = { wide: 200, narrow: 112 } as const;

/** Characters that fit there; a name may have a hundred. */
const CHARACTERS_MAX = { wide: 22, narrow: 16 } as const;

function cut(name: string, charactersMax: number): string {
  const characters = [...name];
  return characters.length <= charactersMax ? name : `${characters.slice(0, charactersMax - 1).join("")}…`;
}

/** Two columns of accounts, and flows from left to right as wide as their share of power. */
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

/** How much of the power can be traced; not rounded up to all of it. */
function tracedText({ totals }: DelegationGraph): string {
  const { votes, traced_votes: traced } = totals;
  if (traced === votes) return "the delegators of all power are known";
  if (traced === "0") return "the delegators of the power are unknown";
  const tracedPct = (100 * Number(traced)) / Number(votes);
  return `the delegators of ${spell.percent(Math.min(tracedPct, 99.9))} of the power are known`;
}

/** The description of a graph's picture for screen readers. */
export function graphText(graph: DelegationGraph, name: string): Omit<PictureText, "id"> {
  const { totals, delegations } = graph;
  const selfDelegations = delegations.filter((delegation) => delegation.is_self).length;
  const strongest = delegations[0];
  const first =
    strongest === undefined
      ? ""
      : ` The strongest delegator gives ${spell.percent(strongest.votes_share_pct)}${strongest.is_self ? ", to itself" : ""}.`;
  return {
    title: `Who delegates to whom in ${name}`,
    description: `${spell.count(totals.delegators)} delegators on the left, ${spell.count(totals.delegates)} delegates on the right.${first} Of the ${delegations.length} named delegators, ${selfDelegations} delegate to themselves; ${tracedText(graph)}.`,
  };
}

/** A graph whose names are valid in XML; a name without any valid character is replaced by the address. */
export function withXmlNames(graph: DelegationGraph): DelegationGraph {
  const delegates = graph.delegates.map((delegate) => {
    const name = cleanText(delegate.display_name);
    return { ...delegate, display_name: name === "" ? shortAddress(delegate.address) : name };
  });
  return { ...graph, delegates };
}

/** A graph as a self-contained SVG file; deterministic. */
export async function graphPicture(graph: DelegationGraph): Promise<string> {
  const [draw, marks] = [await createDraw(), await import("@observablehq/plot")];
  const text = { id: "delegation-graph", ...graphText(graph, graph.space_id) };
  return svgFile(draw(graphFlow(marks, layOutGraph(withXmlNames(graph)), 760, true), text));
}
