import { createDisjointSets } from "./weighted-statistics.ts";

/**
 * The human-equivalent of every voter, named by its smallest voter: entities first, then all that are linked.
 * Where there is no link it is `entityHeads` itself.
 */
export function mergeVoters(
  entityHeads: Int32Array,
  forEachLink: (join: (voter: number, partner: number) => void) => void,
): Int32Array {
  const sets = createDisjointSets(entityHeads.length);
  let isLinked = false;
  forEachLink((voter, partner) => {
    isLinked = true;
    sets.join(voter, partner);
  });
  if (!isLinked) return entityHeads;
  entityHeads.forEach((head, voter) => {
    if (head !== voter) sets.join(head, voter);
  });
  return entityHeads.map((_, voter) => sets.find(voter));
}
