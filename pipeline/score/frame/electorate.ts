import type { ProposalVotes } from "../../facts/proposal-votes.ts";

/** Voters numbered from 0 in this DAO, and who among them is one entity. */
export interface Electorate {
  /** −1 for who voted on none of the ballots. */
  readonly denseVoterOf: (voterId: number) => number;
  /** Of a ballot: the dense number of the voter in each of its rows. */
  readonly votersOf: (ballot: ProposalVotes) => Int32Array;
  /** By dense voter: the smallest dense voter of its entity, or itself. */
  readonly entityHeads: Int32Array;
  readonly entityIdOfHead: ReadonlyMap<number, string>;
}

const SLOTS_AT_FIRST = 256;

/**
 * Gives numbers in the order in which voters are first asked for. A table of plain numbers: a Map takes ten times as
 * long, and this is asked for every vote.
 */
function createNumbering() {
  let voterIds = new Uint32Array(SLOTS_AT_FIRST / 2);
  let count = 0;
  /** Number + 1 of the voter that stands there; 0 is free. Never more than half full. */
  let slots = new Int32Array(SLOTS_AT_FIRST);
  let mask = SLOTS_AT_FIRST - 1;

  // The mask keeps every slot inside.
  const slotOf = (voterId: number): number => {
    let slot = Math.imul(voterId, 0x9e3779b1);
    slot = (slot ^ (slot >>> 15)) & mask;
    for (let held = slots[slot] as number; held !== 0; held = slots[slot] as number) {
      if (voterIds[held - 1] === voterId) return slot;
      slot = (slot + 1) & mask;
    }
    return slot;
  };
  const grow = (): void => {
    const longer = new Uint32Array(2 * voterIds.length);
    longer.set(voterIds);
    voterIds = longer;
    slots = new Int32Array(2 * slots.length);
    mask = slots.length - 1;
    for (let number = 0; number < count; number += 1) slots[slotOf(voterIds[number] as number)] = number + 1;
  };
  return {
    numberOf(voterId: number): number {
      const slot = slotOf(voterId);
      const held = slots[slot] as number;
      if (held !== 0) return held - 1;
      voterIds[count] = voterId;
      count += 1;
      slots[slot] = count;
      if (count === voterIds.length) grow();
      return count - 1;
    },
    /** −1 for who was never asked for. */
    find: (voterId: number) => (slots[slotOf(voterId)] as number) - 1,
    /** By number. */
    voterIds: () => voterIds.subarray(0, count),
  };
}

/** Numbers everybody who voted on any of the ballots, and merges the wallets of each entity. */
export function drawElectorate(
  ballots: Iterable<ProposalVotes>,
  entityIdOfVoter: ReadonlyMap<number, string>,
): Electorate {
  const numbering = createNumbering();
  const votersOfVotes = new Map<string, Int32Array>();
  for (const ballot of ballots) {
    const voters = new Int32Array(ballot.count);
    for (let row = 0; row < voters.length; row += 1)
      voters[row] = numbering.numberOf(ballot.voterIds[row] as number);
    votersOfVotes.set(ballot.proposalId, voters);
  }
  const voterIds = numbering.voterIds();
  const entityHeads = new Int32Array(voterIds.length);
  const headOfEntity = new Map<string, number>();
  for (let voter = 0; voter < voterIds.length; voter += 1) {
    entityHeads[voter] = voter;
    // Hardly any DAO's voters are of an entity, and a look into an empty table for each of them adds up.
    const entityId = entityIdOfVoter.size === 0 ? undefined : entityIdOfVoter.get(voterIds[voter] as number);
    if (entityId === undefined) continue;
    const head = headOfEntity.get(entityId) ?? voter;
    headOfEntity.set(entityId, head);
    entityHeads[voter] = head;
  }
  return {
    denseVoterOf: numbering.find,
    votersOf: ({ proposalId }) => votersOfVotes.get(proposalId) ?? new Int32Array(),
    entityHeads,
    entityIdOfHead: new Map([...headOfEntity].map(([entityId, head]) => [head, entityId])),
  };
}
