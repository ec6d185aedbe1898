import type { DelegationGraph } from "./delegation-graph.ts";
import { bareRow, type HiddenNames } from "./hidden-entities.ts";

/**
 * A graph as it may be shown: delegates become bare addresses as they do in the listing. Delegators stay: the shape gives
 * them no name, and a hole among them would tell what their address does not. Nothing to hide: the very same object.
 */
export function bareGraph(graph: DelegationGraph, hidden: HiddenNames): DelegationGraph {
  const delegates = graph.delegates.map((delegate) => {
    const { votes, ...row } = delegate;
    const bare = bareRow(row, hidden);
    return bare === row ? delegate : { ...bare, votes };
  });
  return delegates.every((each, index) => each === graph.delegates[index]) ? graph : { ...graph, delegates };
}
