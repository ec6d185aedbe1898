import type { Ballot } from "../facts/ballot.ts";

/** Voters numbered from 0 in this DAO, and who among them is one entity. */
export interface Electorate {
  readonly denseVoterOf: (voterId: number) => number;
  /** By dense voter: the smallest dense voter of its entity, or itself. */
  readonly entityHeads: Int32Array;
  readonly entityIdOfHead: ReadonlyMap<number, string>;
}

/** Numbers everybody who voted on any of the ballots, and merges the wallets of each entity. */
export function drawElectorate(
  ballots: Iterable<Ballot>,
  entityIdOfVoter: ReadonlyMap<number, string>,
): Electorate {
  const dense = new Map<number, number>();
  for (const ballot of ballots) {
    for (const voter of ballot.voterIds) if (!dense.has(voter)) dense.set(voter, dense.size);
  }
  const entityHeads = Int32Array.from({ length: dense.size }, (_, index) => index);
  const headOfEntity = new Map<string, number>();
  for (const [voter, index] of dense) {
    const entityId = entityIdOfVoter.get(voter);
    if (entityId === undefined) continue;
    const head = headOfEntity.get(entityId) ?? index;
    headOfEntity.set(entityId, head);
    entityHeads[index] = head;
  }
  return {
    denseVoterOf: (voter) => dense.get(voter) ?? -1,
    entityHeads,
    entityIdOfHead: new Map([...headOfEntity].map(([entityId, head]) => [head, entityId])),
  };
}
