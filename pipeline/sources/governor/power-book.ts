import type { DelegationEvent } from "../../facts/delegation.ts";

/** What the events say about each delegate's power, at the head and at one block before it. */
export interface PowerBook {
  note(event: DelegationEvent): void;
  atHead(): ReadonlyMap<string, bigint>;
  /** At the end of `earlierBlock`. */
  earlier(): ReadonlyMap<string, bigint>;
}

/** Starts empty; events come in order. */
export function createPowerBook(earlierBlock: number): PowerBook {
  const head = new Map<string, bigint>();
  const earlier = new Map<string, bigint>();
  return {
    note(event) {
      if (event.kind !== "votes-changed") return;
      head.set(event.delegate, event.after);
      if (event.blockNumber <= earlierBlock) earlier.set(event.delegate, event.after);
    },
    atHead: () => head,
    earlier: () => earlier,
  };
}
