import { invariant } from "../base/invariant.ts";
import type { DelegationEvent, ListedDelegate } from "../facts/delegation.ts";
import type { Delegation } from "./trace-delegations.ts";

const NOBODY = `0x${"0".repeat(40)}`;

/** Who delegates to whom, and with what power, as the events so far say. */
export interface DelegationReplay {
  /** Takes the next event. A repeat of the one before it changes nothing; an event out of order is our own mistake. */
  apply(event: DelegationEvent): void;
  /** Every account that ever had power, with its power and its delegators that hold a balance. */
  delegates(): ListedDelegate[];
  /** Every account that holds a balance, and the one it counts for; who chose nobody is not in it. */
  delegations(): Delegation[];
}

/**
 * Replays one token's events in the order of (block, logIndex). Power is what the last DelegateVotesChanged said;
 * delegators are counted from balances, since a transfer moves power without a word about delegation.
 */
export function createDelegationReplay(isSelfByDefault: boolean): DelegationReplay {
  const powers = new Map<string, bigint>();
  const balances = new Map<string, bigint>();
  const delegateOf = new Map<string, string>();
  const add = (account: string, amount: bigint): void => {
    if (account !== NOBODY) balances.set(account, (balances.get(account) ?? 0n) + amount);
  };
  const chosenBy = (account: string): string | undefined => {
    const chosen = delegateOf.get(account);
    if (chosen !== undefined && chosen !== NOBODY) return chosen;
    return isSelfByDefault ? account : undefined;
  };
  let last: Pick<DelegationEvent, "blockNumber" | "logIndex"> | undefined;
  return {
    apply(event) {
      if (last !== undefined) {
        const step = event.blockNumber - last.blockNumber || event.logIndex - last.logIndex;
        invariant(step >= 0, "delegation events are replayed in the order of (block, logIndex)");
        if (step === 0) return;
      }
      last = event;
      if (event.kind === "delegate-changed") delegateOf.set(event.delegator, event.to);
      else if (event.kind === "votes-changed") powers.set(event.delegate, event.after);
      else {
        add(event.from, -event.amount);
        add(event.to, event.amount);
      }
    },
    delegates() {
      const delegators = new Map<string, number>();
      for (const [account, balance] of balances) {
        const chosen = balance > 0n ? chosenBy(account) : undefined;
        if (chosen !== undefined) delegators.set(chosen, (delegators.get(chosen) ?? 0) + 1);
      }
      return [...powers].map(([address, votes]) => ({
        address,
        votes,
        delegatorsCount: delegators.get(address) ?? 0,
        ens: undefined,
      }));
    },
    delegations() {
      return [...balances].flatMap(([delegator, votes]) => {
        const delegate = votes > 0n ? chosenBy(delegator) : undefined;
        return delegate === undefined ? [] : [{ delegator, delegate, votes }];
      });
    },
  };
}
