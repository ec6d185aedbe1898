import { GRAPH_ACCOUNTS_MAX } from "../../../snapshots/format/limits.ts";
import type { DelegationEvent, ListedDelegate } from "../../facts/delegation.ts";
import { invariant } from "../../facts/errors.ts";
import type { DelegateRanking } from "./rank-delegates.ts";

/** An account that holds votes, and whom they count for. */
export interface Delegation {
  readonly delegator: string;
  readonly delegate: string;
  /** What it holds by its transfers; above 0. */
  readonly votes: bigint;
}

/** One of the strongest delegators; `delegateRank` is absent beyond the delegates that are named. */
export interface StrongDelegation extends Delegation {
  readonly delegateRank: number | undefined;
}

/** Delegators that are not named, of one delegate or of all that are not named either. */
export interface WeakDelegations {
  readonly delegateRank: number | undefined;
  readonly delegatorsCount: number;
  /** Absent where what the delegators hold is not what the delegate has: the logs then do not tell whose power it is. */
  readonly votes: bigint | undefined;
}

/** Who delegates to whom behind one ranking, folded beyond the strongest. */
export interface TracedDelegations {
  /** Votes desc, address asc. */
  readonly strong: readonly StrongDelegation[];
  /** By rank, those of unnamed delegates last, unknown votes behind known ones. */
  readonly weak: readonly WeakDelegations[];
  readonly delegatorsCount: number;
  /** Power of which it is known who delegated it. */
  readonly tracedVotes: bigint;
}

const byStrength = (a: Delegation, b: Delegation): number => {
  if (a.votes !== b.votes) return a.votes < b.votes ? 1 : -1;
  return a.delegator < b.delegator ? -1 : 1;
};

/** What the delegators of each delegate hold together. */
function heldFor(delegations: readonly Delegation[]): ReadonlyMap<string, bigint> {
  const held = new Map<string, bigint>();
  for (const { delegate, votes } of delegations) held.set(delegate, (held.get(delegate) ?? 0n) + votes);
  return held;
}

const orderOf = ({ delegateRank, votes }: WeakDelegations): number =>
  2 * (delegateRank ?? GRAPH_ACCOUNTS_MAX + 1) + (votes === undefined ? 1 : 0);

function foldWeak(
  delegations: readonly (Omit<StrongDelegation, "votes"> & { readonly votes: bigint | undefined })[],
): readonly WeakDelegations[] {
  const folds = new Map<string, WeakDelegations>();
  for (const { delegateRank, votes } of delegations) {
    const key = `${delegateRank} ${votes === undefined}`;
    const before = folds.get(key);
    folds.set(key, {
      delegateRank,
      delegatorsCount: (before?.delegatorsCount ?? 0) + 1,
      votes: votes === undefined ? undefined : (before?.votes ?? 0n) + votes,
    });
  }
  return [...folds.values()].sort((a, b) => orderOf(a) - orderOf(b));
}

/**
 * Follows power back to the delegators behind a ranking. A delegate's power is traced where its delegators hold exactly
 * what its last DelegateVotesChanged said; otherwise nothing is said of any of them but how many there are. One step
 * only: votes that were delegated to somebody do not move when that one delegates.
 */
export function traceDelegations(
  ranking: DelegateRanking,
  delegations: readonly Delegation[],
): TracedDelegations {
  const powerful = new Map(ranking.delegates.map((delegate) => [delegate.address, delegate]));
  const held = heldFor(delegations);
  const strongest: StrongDelegation[] = [];
  const untraced: Omit<StrongDelegation, "votes">[] = [];
  for (const delegation of delegations) {
    const delegate = powerful.get(delegation.delegate);
    // Whoever has no power is no delegate, here as in the ranking.
    if (delegate === undefined) continue;
    const delegateRank = delegate.rank <= GRAPH_ACCOUNTS_MAX ? delegate.rank : undefined;
    const isTraced = held.get(delegate.address) === delegate.votes;
    (isTraced ? strongest : untraced).push({ ...delegation, delegateRank });
  }
  strongest.sort(byStrength);
  return {
    strong: strongest.slice(0, GRAPH_ACCOUNTS_MAX),
    weak: foldWeak([
      ...strongest.slice(GRAPH_ACCOUNTS_MAX),
      ...untraced.map((each) => ({ ...each, votes: undefined })),
    ]),
    delegatorsCount: strongest.length + untraced.length,
    tracedVotes: strongest.reduce((sum, { votes }) => sum + votes, 0n),
  };
}

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
