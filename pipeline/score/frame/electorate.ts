import type { ProposalVotes } from "../../facts/proposal-votes.ts";

/** The wallets of a DAO's voters, numbered from 0, and which of them are one entity. */
export interface Electorate {
  /** Of a ballot: the number of the wallet in each of its rows. */
  readonly walletsOf: (votes: Pick<ProposalVotes, "proposalId">) => Int32Array;
  /** By wallet: the first wallet of its entity, or itself. */
  readonly headOfWallet: Int32Array;
  readonly entityIdOfHead: ReadonlyMap<number, string>;
}

/** Numbers that are given in the order in which voters are first asked for. */
interface Numbering {
  numberOf(voterId: number): number;
  /** By number. */
  voterIds(): Uint32Array;
}

const SLOTS_AT_FIRST = 256;

/** A table of plain numbers: a Map takes ten times as long, and this is asked for every vote. */
function createNumbering(): Numbering {
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
    numberOf(voterId) {
      const slot = slotOf(voterId);
      const held = slots[slot] as number;
      if (held !== 0) return held - 1;
      voterIds[count] = voterId;
      count += 1;
      slots[slot] = count;
      if (count === voterIds.length) grow();
      return count - 1;
    },
    voterIds: () => voterIds.subarray(0, count),
  };
}

/** Numbers everybody who voted on any of the ballots, and merges the wallets of each entity. */
export function drawElectorate(
  ballots: Iterable<ProposalVotes>,
  entityIdOfVoter: ReadonlyMap<number, string>,
): Electorate {
  const numbering = createNumbering();
  const walletsByProposal = new Map<string, Int32Array>();
  for (const { proposalId, count, voterIds } of ballots) {
    const wallets = new Int32Array(count);
    for (let row = 0; row < count; row += 1) wallets[row] = numbering.numberOf(voterIds[row] as number);
    walletsByProposal.set(proposalId, wallets);
  }
  const voterIds = numbering.voterIds();
  const headOfWallet = new Int32Array(voterIds.length);
  const headOfEntity = new Map<string, number>();
  for (let wallet = 0; wallet < voterIds.length; wallet += 1) {
    headOfWallet[wallet] = wallet;
    // Hardly any DAO's voters are of an entity, and a look into an empty table for each of them adds up.
    const entityId = entityIdOfVoter.size === 0 ? undefined : entityIdOfVoter.get(voterIds[wallet] as number);
    if (entityId === undefined) continue;
    const head = headOfEntity.get(entityId) ?? wallet;
    headOfEntity.set(entityId, head);
    headOfWallet[wallet] = head;
  }
  return {
    walletsOf: ({ proposalId }) => walletsByProposal.get(proposalId) ?? new Int32Array(),
    headOfWallet,
    entityIdOfHead: new Map([...headOfEntity].map(([entityId, head]) => [head, entityId])),
  };
}
