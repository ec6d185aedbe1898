import type { DelegationGraph } from "../../../snapshots/format/delegates.ts";
import { roundTo, SCORE_DECIMALS } from "../../../snapshots/format/ids.ts";

/** A node on one side of a flow: one account, or several combined. */
export type FlowEnd = GraphLayout["delegators"][number];

/** The positions in a picture of who delegates to whom. */
export type GraphLayout = ReturnType<typeof layOutGraph>;

/** Accounts per side with their own line; a picture with more is unreadable. */
const PICTURED_MAX = 10;

/** Height of the total power, and of a line of text. */
const WHOLE_PIXELS = 260;
const LINE_PIXELS = 18;

interface Side {
  readonly name: string;
  readonly votes: bigint;
}

interface Part {
  readonly from: string;
  readonly to: string;
  readonly votes: bigint;
}

const OTHERS = "others";
const UNKNOWN = "unknown";

function powersOf({ delegates, totals }: DelegationGraph): Map<string, bigint> {
  const powers = new Map<string, bigint>();
  let others = BigInt(totals.votes);
  for (const { rank, votes } of delegates.slice(0, PICTURED_MAX)) {
    powers.set(String(rank), BigInt(votes));
    others -= BigInt(votes);
  }
  return powers.set(OTHERS, others);
}

/** The flows between pictured accounts, and the unknown origin of a delegate's remaining power. */
function partsOf(graph: DelegationGraph): readonly Part[] {
  const pictured = new Set(graph.delegations.slice(0, PICTURED_MAX).map(({ address }) => address));
  const parts = new Map<string, Part>();
  const unexplained = powersOf(graph);
  const add = (from: string, to: string, votes: bigint): void => {
    const key = `${from} ${to}`;
    parts.set(key, { from, to, votes: (parts.get(key)?.votes ?? 0n) + votes });
  };
  const take = (from: string, rank: number | null, votes: string): void => {
    const to = rank === null || rank > PICTURED_MAX ? OTHERS : String(rank);
    add(from, to, BigInt(votes));
    unexplained.set(to, (unexplained.get(to) ?? 0n) - BigInt(votes));
  };
  for (const { address, delegate_rank: rank, votes } of graph.delegations) {
    take(pictured.has(address) ? address : OTHERS, rank, votes);
  }
  for (const { delegate_rank: rank, votes } of graph.folded_delegations) {
    if (votes !== null) take(OTHERS, rank, votes);
  }
  for (const [to, votes] of unexplained) add(UNKNOWN, to, votes);
  return [...parts.values()].filter(({ votes }) => votes > 0n);
}

function sidesOf(
  graph: DelegationGraph,
  parts: readonly Part[],
): [left: Map<string, Side>, right: Map<string, Side>] {
  const left = new Map<string, Side>();
  const right = new Map<string, Side>();
  const sum = (is: (part: Part) => boolean): bigint =>
    parts.filter(is).reduce((total, { votes }) => total + votes, 0n);
  const put = (side: Map<string, Side>, key: string, name: string): void => {
    const votes = sum(({ from, to }) => (side === left ? from : to) === key);
    if (votes > 0n) side.set(key, { name, votes });
  };
  const named = graph.delegations.slice(0, PICTURED_MAX);
  for (const { address, display_name: name } of named) put(left, address, name);
  put(left, OTHERS, "other delegators");
  put(left, UNKNOWN, "unknown delegators");
  for (const { rank, display_name: name } of graph.delegates.slice(0, PICTURED_MAX)) {
    put(right, String(rank), name);
  }
  put(right, OTHERS, "other delegates");
  return [left, right];
}

/** Further digits of a pixel are invisible. */
const pixels = (value: number): number => roundTo(value, 2);

function placed(side: ReadonlyMap<string, Side>, total: bigint) {
  let top = 0;
  const ends = [...side].map(([key, { name, votes }]) => {
    const share = Number(votes) / Number(total);
    const slot = Math.max(LINE_PIXELS, share * WHOLE_PIXELS + 4);
    const middle = pixels(top + slot / 2);
    top += slot;
    const sharePct = roundTo(100 * share, SCORE_DECIMALS);
    /** Middle and half height of its mark, in pixels from the top. */
    return [key, { name, sharePct, middle, half: pixels((share * WHOLE_PIXELS) / 2) }] as const;
  });
  return new Map(ends);
}

const heightOf = (ends: ReturnType<typeof placed>): number => {
  const last = [...ends.values()].at(-1);
  return last === undefined ? 0 : last.middle + Math.max(LINE_PIXELS / 2, last.half + 2);
};

/** Lays out the strongest accounts of each side, the others combined, and the flows between the sides. */
export function layOutGraph(graph: DelegationGraph) {
  const total = BigInt(graph.totals.votes);
  const parts = partsOf(graph);
  const [left, right] = sidesOf(graph, parts);
  const delegators = placed(left, total);
  const delegates = placed(right, total);
  const usedLeft = new Map<string, number>();
  const usedRight = new Map<string, number>();
  const slice = (ends: typeof delegators, used: Map<string, number>, key: string, width: number) => {
    const { middle, half } = ends.get(key) ?? { middle: 0, half: 0 };
    const before = used.get(key) ?? 0;
    used.set(key, before + width);
    return middle - half + before + width / 2;
  };
  // Sort by both sides' order, as both have `others`.
  const [froms, tos] = [[...left.keys()], [...right.keys()]];
  const inOrder = parts.toSorted(
    (a, b) => froms.indexOf(a.from) - froms.indexOf(b.from) || tos.indexOf(a.to) - tos.indexOf(b.to),
  );
  const flows = inOrder.map(({ from, to, votes }) => {
    const width = (Number(votes) / Number(total)) * WHOLE_PIXELS;
    return {
      from: pixels(slice(delegators, usedLeft, from, width)),
      to: pixels(slice(delegates, usedRight, to, width)),
      width: pixels(width),
    };
  });
  return {
    delegators: [...delegators.values()],
    delegates: [...delegates.values()],
    flows,
    height: Math.ceil(Math.max(heightOf(delegators), heightOf(delegates))),
  };
}
