import { GRAPH_ACCOUNTS_MAX } from "../../../snapshots/format/limits.ts";
import type { DelegationEvent, ListedDelegate } from "../../facts/dao-facts.ts";
import { invariant } from "../../facts/errors.ts";
import type { DelegateRanking } from "./rank-delegates.ts";

/** An account that holds votes, and the delegate for whom they count. */
export interface Delegation {
  readonly delegator: string;
  readonly delegate: string;
  /** Balance according to the transfers; above 0. */
  readonly votes: bigint;
}

/** One of the strongest delegators; `delegateRank` is `undefined` if its delegate is not named. */
interface StrongDelegation extends Delegation {
  readonly delegateRank: number | undefined;
}

/** The unnamed delegators of one named delegate, or of all unnamed delegates together. */
interface WeakDelegations {
  readonly delegateRank: number | undefined;
  readonly delegatorsCount: number;
  /** `undefined` if the delegators' balances do not add up to the delegate's power, which then cannot be attributed. */
  readonly votes: bigint | undefined;
}

/** The delegations behind one ranking; all but the strongest are summed up. */
export interface TracedDelegations {
  /** Votes desc, address asc. */
  readonly strong: readonly StrongDelegation[];
  /** Sorted by rank, unnamed delegates last, unknown votes after known ones. */
  readonly weak: readonly WeakDelegations[];
  readonly delegatorsCount: number;
  /** Power whose delegators are known. */
  readonly tracedVotes: bigint;
}

const byStrength = (a: Delegation, b: Delegation): number => {
  if (a.votes !== b.votes) return a.votes < b.votes ? 1 : -1;
  return a.delegator < b.delegator ? -1 : 1;
};

/** The sum of the delegators' balances, by delegate. */
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
 * Traces the power in a ranking back to its delegators. A delegate's power is traced if the balances of its delegators
 * add up exactly to its last DelegateVotesChanged; otherwise the delegators are only counted. One step only: delegated
 * votes do not move on when the delegate delegates.
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
    // Without power, nobody counts as a delegate, as in the ranking.
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
      ...untraced.map((delegation) => ({ ...delegation, votes: undefined })),
    ]),
    delegatorsCount: strongest.length + untraced.length,
    tracedVotes: strongest.reduce((sum, { votes }) => sum + votes, 0n),
  };
}

const NOBODY = `0x${"0".repeat(40)}`;

/** The delegations and powers after the events applied so far. */
export type DelegationReplay = ReturnType<typeof createDelegationReplay>;

/**
 * Replays one token's events in the order of (block, logIndex). Power is taken from the last DelegateVotesChanged;
 * delegators are counted from balances, because a transfer moves power without a delegation event.
 */
export function createDelegationReplay(isSelfByDefault: boolean) {
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
    /** Applies the next event. Ignores a repeat of the previous one; throws if the order is wrong, which is a bug. */
    apply(event: DelegationEvent): void {
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
    /** Every account that ever had power, with its power and the number of its delegators with a balance. */
    delegates(): ListedDelegate[] {
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
    /** Every account with a balance and the delegate it counts for; accounts without a delegate are left out. */
    delegations(): Delegation[] {
      return [...balances].flatMap(([delegator, votes]) => {
        const delegate = votes > 0n ? chosenBy(delegator) : undefined;
        return delegate === undefined ? [] : [{ delegator, delegate, votes }];
      });
    },
  };
}
