import type { PlotOptions } from "@observablehq/plot";
import type { DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { roundTo, SCORE_DECIMALS } from "../../../snapshots/format/ids.ts";
import { cleanText, shortAddress } from "../../../snapshots/format/text.ts";
import { createDraw, INK, type Marks, type PictureText, svgFile } from "../drawing.ts";
import { cut, spell } from "../spell.ts";

/** Accounts per side with their own line; a picture with more is unreadable. */
const PICTURED_MAX = 10;

/** Height of the total power, and of a line of text. */
const WHOLE_PIXELS = 260;
const LINE_PIXELS = 18;

const OTHERS = "others";
const UNKNOWN = "unknown";

/** Further digits of a pixel are invisible. */
const pixels = (value: number): number => roundTo(value, 2);

/** The votes that flow from one pictured account to another; power that no delegator explains is of unknown origin. */
function votesBetween(
  { totals, delegates, delegations, folded_delegations: folds }: DelegationGraph,
  pictured: ReadonlyMap<string, string>,
): (from: string, to: string) => bigint {
  const sums = new Map<string, bigint>();
  const add = (from: string, to: string, votes: bigint): void => {
    const key = `${from} ${to}`;
    sums.set(key, (sums.get(key) ?? 0n) + votes);
  };
  const lineOf = (rank: number | null) => (rank === null || rank > PICTURED_MAX ? OTHERS : String(rank));
  const explain = (from: string, rank: number | null, votes: string): void => {
    add(from, lineOf(rank), BigInt(votes));
    add(UNKNOWN, lineOf(rank), -BigInt(votes));
  };
  add(UNKNOWN, OTHERS, BigInt(totals.votes));
  for (const { rank, votes } of delegates.slice(0, PICTURED_MAX)) {
    add(UNKNOWN, OTHERS, -BigInt(votes));
    add(UNKNOWN, String(rank), BigInt(votes));
  }
  for (const { address, delegate_rank: rank, votes } of delegations) {
    explain(pictured.has(address) ? address : OTHERS, rank, votes);
  }
  for (const { delegate_rank: rank, votes } of folds) {
    if (votes !== null) explain(OTHERS, rank, votes);
  }
  return (from, to) => {
    const votes = sums.get(`${from} ${to}`) ?? 0n;
    return votes > 0n ? votes : 0n;
  };
}

/** A line of one side: one account, or several combined; middle and half height of its mark in pixels from the top. */
interface FlowEnd {
  readonly key: string;
  readonly name: string;
  readonly sharePct: number;
  readonly middle: number;
  readonly half: number;
}

/** Places those accounts of a side that have power. */
function placed(names: ReadonlyMap<string, string>, total: bigint, votesOf: (key: string) => bigint) {
  let top = 0;
  return [...names].flatMap(([key, name]): FlowEnd[] => {
    const votes = votesOf(key);
    if (votes === 0n) return [];
    const share = Number(votes) / Number(total);
    const slot = Math.max(LINE_PIXELS, share * WHOLE_PIXELS + 4);
    const middle = pixels(top + slot / 2);
    top += slot;
    const sharePct = roundTo(100 * share, SCORE_DECIMALS);
    return [{ key, name, sharePct, middle, half: pixels((share * WHOLE_PIXELS) / 2) }];
  });
}

/** Lays out the strongest accounts of each side, the others combined, and the flows between the sides. */
export function layOutGraph(graph: DelegationGraph) {
  const total = BigInt(graph.totals.votes);
  const left = new Map(
    graph.delegations.slice(0, PICTURED_MAX).map((row) => [row.address, row.display_name]),
  );
  const right = new Map(
    graph.delegates.slice(0, PICTURED_MAX).map((row) => [String(row.rank), row.display_name]),
  );
  const votes = votesBetween(graph, left);
  left.set(OTHERS, "other delegators").set(UNKNOWN, "unknown delegators");
  right.set(OTHERS, "other delegates");
  const sum = (parts: readonly bigint[]): bigint => parts.reduce((all, part) => all + part, 0n);
  const delegators = placed(left, total, (from) => sum([...right.keys()].map((to) => votes(from, to))));
  const delegates = placed(right, total, (to) => sum([...left.keys()].map((from) => votes(from, to))));
  const used = new Map<FlowEnd, number>();
  const slice = (end: FlowEnd, width: number): number => {
    const before = used.get(end) ?? 0;
    used.set(end, before + width);
    return pixels(end.middle - end.half + before + width / 2);
  };
  // In the order of both sides, so that no two flows of one account cross.
  const flows = delegators.flatMap((from) =>
    delegates.flatMap((to) => {
      const width = (Number(votes(from.key, to.key)) / Number(total)) * WHOLE_PIXELS;
      if (width === 0) return [];
      return { from: slice(from, width), to: slice(to, width), width: pixels(width) };
    }),
  );
  const heights = [delegators.at(-1), delegates.at(-1)].map((last) =>
    last === undefined ? 0 : last.middle + Math.max(LINE_PIXELS / 2, last.half + 2),
  );
  return { delegators, delegates, flows, height: Math.ceil(Math.max(...heights)) };
}

/** Two columns of accounts, and flows from left to right as wide as their share of power. */
export function graphFlow(
  marks: Marks,
  { delegators, delegates, flows, height }: ReturnType<typeof layOutGraph>,
  width: number,
  isWide: boolean,
): PlotOptions {
  /** Space for names on either side, with and without shares, and the characters that fit there: a name may have a hundred. */
  const [margin, characters] = isWide ? [200, 22] : [112, 16];
  const label = ({ name, sharePct }: FlowEnd): string =>
    `${cut(name, characters)}${isWide ? ` ${spell.percent(sharePct)}` : ""}`;
  const side = (ends: readonly FlowEnd[], x: number) => [
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
      textAnchor: x === 0 ? "end" : "start",
      dx: x === 0 ? -8 : 8,
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
      ...side(delegators, 0),
      ...side(delegates, 1),
    ],
  };
}

/** How much of the power can be traced; not rounded up to all of it. */
function tracedText({ totals: { votes, traced_votes: traced } }: DelegationGraph): string {
  if (traced === votes) return "the delegators of all power are known";
  if (traced === "0") return "the delegators of the power are unknown";
  const tracedPct = Math.min((100 * Number(traced)) / Number(votes), 99.9);
  return `the delegators of ${spell.percent(tracedPct)} of the power are known`;
}

export function graphText(graph: DelegationGraph, name: string): Omit<PictureText, "id"> {
  const { totals, delegations } = graph;
  const [strongest] = delegations;
  const first =
    strongest === undefined
      ? ""
      : ` The strongest delegator gives ${spell.percent(strongest.votes_share_pct)}${strongest.is_self ? ", to itself" : ""}.`;
  return {
    title: `Who delegates to whom in ${name}`,
    description: `${spell.count(totals.delegators)} delegators on the left, ${spell.count(totals.delegates)} delegates on the right.${first} Of the ${delegations.length} named delegators, ${delegations.filter((delegation) => delegation.is_self).length} delegate to themselves; ${tracedText(graph)}.`,
  };
}

/** A graph whose names are valid in XML; a name without any valid character is replaced by the address. */
export function withXmlNames(graph: DelegationGraph): DelegationGraph {
  const delegates = graph.delegates.map((delegate) => {
    const name = cleanText(delegate.display_name) || shortAddress(delegate.address);
    return { ...delegate, display_name: name };
  });
  return { ...graph, delegates };
}

/** A graph as a self-contained SVG file; deterministic. */
export async function graphPicture(graph: DelegationGraph): Promise<string> {
  const [draw, marks] = [await createDraw(), await import("@observablehq/plot")];
  const text = { id: "delegation-graph", ...graphText(graph, graph.space_id) };
  return svgFile(draw(graphFlow(marks, layOutGraph(withXmlNames(graph)), 760, true), text));
}
