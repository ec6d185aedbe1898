export interface ListedDelegate {
  /** Lower-case address. */
  readonly address: string;
  /** In the smallest unit of the list's `decimals`. */
  readonly votes: bigint;
  readonly delegatorsCount: number;
  /** Present only if forward resolution confirmed it. */
  readonly ens: string | undefined;
}

/** The delegates of one DAO on one day, as a source listed them. */
export interface DelegateList {
  readonly spaceId: string;
  /** UTC day, `YYYY-MM-DD`. */
  readonly date: string;
  readonly asOfMs: number;
  /** A list that is cut at some rank yields no totals, shares or tiers. */
  readonly isComplete: boolean;
  readonly decimals: number;
  readonly fetchedAtMs: number;
  readonly delegates: readonly ListedDelegate[];
}

/** One delegation log, decoded. Addresses in lower case; keyed by (blockNumber, logIndex). */
export type DelegationEvent = {
  readonly blockNumber: number;
  readonly logIndex: number;
  /** `undefined` if the source has no block times. */
  readonly blockTimeMs: number | undefined;
} & (
  | {
      readonly kind: "delegate-changed";
      readonly delegator: string;
      readonly from: string;
      readonly to: string;
    }
  | {
      readonly kind: "votes-changed";
      readonly delegate: string;
      readonly before: bigint;
      readonly after: bigint;
    }
  /** `amount` is 1 for an ERC-721 token. */
  | { readonly kind: "transfer"; readonly from: string; readonly to: string; readonly amount: bigint }
);

/** The token whose delegation a DAO's registry entry names. */
export interface GovernorToken {
  readonly chainId: number;
  readonly token: string;
  readonly kind: "erc20votes" | "erc721votes";
  readonly decimals: number;
  readonly clock: "blocknumber" | "timestamp";
  /** Holders who delegated to nobody count as their own delegates. */
  readonly isSelfByDefault: boolean;
  readonly firstBlock: number;
  readonly governor: string | undefined;
}
