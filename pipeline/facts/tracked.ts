import type { Category } from "../../snapshots/format/value-sets.ts";
import type { GovernorToken } from "./delegation.ts";

/** A DAO of the registry. */
export interface TrackedDao {
  readonly spaceId: string;
  readonly name: string;
  readonly category: Category;
  readonly governor: GovernorToken | undefined;
}

/** A labelled entity of the registry; wallets in lower case, none in two entities. */
export interface TrackedEntity {
  readonly entityId: string;
  readonly label: string;
  readonly wallets: readonly string[];
  /** Opted out of the public API: counted in aggregates, named nowhere. */
  readonly isOptedOut: boolean;
}

/** What we track: DAOs by space_id, entities by entity_id. */
export interface Registry {
  readonly daos: readonly TrackedDao[];
  readonly entities: readonly TrackedEntity[];
}

/** The entity of each labelled wallet (lower case), opted out or not. */
export function entityOfWallet({ entities }: Registry): ReadonlyMap<string, string> {
  return new Map(
    entities.flatMap(({ entityId, wallets }) => wallets.map((wallet) => [wallet, entityId] as const)),
  );
}
