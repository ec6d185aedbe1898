import type { DelegationEvent } from "../../../pipeline/facts/delegation.ts";
import type { IndexedBlock } from "../../../pipeline/facts/governance-source.ts";

/** The delegation of one token as plain lists: what the warehouse must say of it after any sequence of steps. */
export function createDelegationModel() {
  const kept = new Map<string, DelegationEvent>();
  const put = new Map<string, DelegationEvent>();
  let held: readonly IndexedBlock[] = [];
  let confirmed: number | undefined;

  const inOrder = (events: Iterable<DelegationEvent>) =>
    [...events].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex);
  const addTo = (events: Map<string, DelegationEvent>, event: DelegationEvent) =>
    events.set(`${event.blockNumber}/${event.logIndex}`, event);
  return {
    held: () => held,
    keep(events: readonly DelegationEvent[], block: IndexedBlock): number {
      const before = kept.size;
      for (const event of events) {
        if (!kept.has(`${event.blockNumber}/${event.logIndex}`)) addTo(kept, event);
      }
      if (held[0]?.number !== block.number) held = [block, ...held].slice(0, 32);
      return kept.size - before;
    },
    rewind(block: IndexedBlock | undefined) {
      held = held.filter(
        ({ number, hash }) =>
          block !== undefined && (number < block.number || (number === block.number && hash === block.hash)),
      );
      const newest = held[0]?.number;
      for (const [place, event] of kept) {
        if (newest === undefined || event.blockNumber > newest) kept.delete(place);
      }
      if (newest === undefined) confirmed = undefined;
      else if (confirmed !== undefined) confirmed = Math.min(confirmed, newest);
    },
    commit() {
      confirmed = held[0]?.number ?? confirmed;
    },
    /** A log that is repeated within one archive stays as it was first; that of a later archive replaces it. */
    putArchive(events: readonly DelegationEvent[]) {
      for (const event of events.toReversed()) addTo(put, event);
    },
    /** What readers see. */
    seen(): readonly DelegationEvent[] {
      const through = confirmed;
      if (through === undefined) return inOrder(put.values());
      return inOrder(kept.values()).filter((event) => event.blockNumber <= through);
    },
    powersAt(blockNumber: number): ReadonlyMap<string, bigint> {
      const powers = new Map<string, bigint>();
      for (const event of inOrder(kept.values())) {
        if (event.blockNumber <= blockNumber && event.kind === "votes-changed") {
          powers.set(event.delegate, event.after);
        }
      }
      return powers;
    },
  };
}
