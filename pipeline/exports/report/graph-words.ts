import type { DelegationGraph } from "../../../snapshots/format/delegation-graph.ts";
import type { PictureText } from "./drawing.ts";
import { spell } from "./spell.ts";

/** The part of the delegated power of which it is known who delegated it, 0–100; 100 of no power at all. */
export function tracedPct({ totals }: DelegationGraph): number {
  const total = Number(totals.votes);
  return total === 0 ? 100 : (100 * Number(totals.traced_votes)) / total;
}

/** How far the power can be followed, in words; not rounded up to all of it. */
export function tracedWords(graph: DelegationGraph): string {
  const { votes, traced_votes: traced } = graph.totals;
  if (traced === votes) return "it is known who delegated all of the power";
  if (traced === "0") return "the logs do not tell who delegated the power";
  return `it is known who delegated ${spell.percent(Math.min(tracedPct(graph), 99.9))} of the power`;
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
