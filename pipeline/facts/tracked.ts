import { SpaceId } from "../../snapshots/format/ids.ts";
import type { Correction, Imprint } from "../../snapshots/format/imprint.ts";
import type { Category } from "../../snapshots/format/value-sets.ts";

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

/** A space of Snapshot's on-chain API: a governor's contract or a space of Snapshot X. */
export interface ChainSpace {
  /** The service's name of the chain, such as `eth` or `arb1`. */
  readonly indexer: string;
  /** The contract's address, spelled as the service does. */
  readonly space: string;
}

/** Ends the name of the electorate that votes on a chain, if another one of the same DAO votes on Snapshot. */
export const ONCHAIN_SUFFIX = " (on-chain)";

export interface TrackedDao {
  readonly spaceId: string;
  readonly name: string;
  readonly category: Category;
  readonly governor: GovernorToken | undefined;
  /** Its space of Snapshot's on-chain API, if it votes on a chain. */
  readonly onchain?: ChainSpace;
  /** "none" if Snapshot has no space of this id: the DAO votes elsewhere, and no hub is asked for it. */
  readonly snapshot?: "none";
}

/** A labelled entity of the registry. Wallets are lower case; no wallet belongs to two entities. */
export interface TrackedEntity {
  readonly entityId: string;
  readonly label: string;
  readonly wallets: readonly string[];
  /** Opted out of the public API: counted in aggregates, never named. */
  readonly isOptedOut: boolean;
}

/** The spaces of the hub's own list that are tracked beside the DAOs of the registry. */
export interface ListedSpaces {
  readonly list: "verified" | "all";
  /** The category of spaces that name none of ours on the hub; without it, these are not tracked. */
  readonly category?: Category | undefined;
}

/** A space of that list; `category` is the hub's, if it is one of ours. */
export interface ListedSpace {
  readonly spaceId: string;
  readonly name: string;
  readonly category?: Category | undefined;
}

/** Tracked DAOs sorted by space_id, entities sorted by entity_id. */
export interface Registry {
  readonly daos: readonly TrackedDao[];
  readonly spaces?: ListedSpaces | undefined;
  readonly entities: readonly TrackedEntity[];
  /** Who publishes, and under which licence; nothing if nobody says. */
  readonly imprint?: Imprint;
  /** The oldest first. */
  readonly corrections?: readonly Correction[] | undefined;
}

/** The entity id of each labelled wallet (lower case), opted out or not. */
export function entityOfWallet({ entities }: Registry): ReadonlyMap<string, string> {
  return new Map(
    entities.flatMap(({ entityId, wallets }) => wallets.map((wallet) => [wallet, entityId] as const)),
  );
}

/** Our category of the hub's, the most telling first: many name "protocol" beside another one. */
const CATEGORIES_OF_HUB: readonly (readonly [Category, readonly string[]])[] = [
  ["defi", ["defi", "defai", "rwa"]],
  ["public_goods", ["grant"]],
  ["social", ["social", "media", "creator", "collector", "gaming", "music", "meme"]],
  ["infrastructure", ["layer-2", "depin", "wallet", "protocol"]],
];

/** A row of the hub's list; without a name, its id is its name. `undefined` if its id is not one of ours. */
export function listedSpaceOf(
  id: string,
  name: string | undefined,
  categories: readonly string[],
): ListedSpace | undefined {
  const spaceId = SpaceId.safeParse(id).data;
  if (spaceId === undefined) return undefined;
  const [category] =
    CATEGORIES_OF_HUB.find(([, theirs]) => theirs.some((one) => categories.includes(one))) ?? [];
  return { spaceId, name: name ?? spaceId, category };
}
