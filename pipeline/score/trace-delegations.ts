import { GRAPH_ACCOUNTS_MAX } from "../../snapshots/format/limits.ts";
import type { DelegateRanking } from "./delegate-ranking.ts";

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
