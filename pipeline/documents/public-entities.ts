import { cleanText } from "../../snapshots/format/text.ts";
import { invariant } from "../base/invariant.ts";
import type { Registry } from "../facts/tracked.ts";

/** An entity that may be named. */
export interface PublicEntity {
  readonly entityId: string;
  readonly label: string;
  /** Lower case, ascending. */
  readonly wallets: readonly string[];
}

/** Who may be named, and what may not be said of anybody. */
export interface PublicEntities {
  /** By entity_id, ascending; opted-out entities are not in it. */
  readonly byId: ReadonlyMap<string, PublicEntity>;
  /** The name a delegate's row may carry, or `undefined` where the row must stay a bare address. */
  delegateName(address: string, ens: string | undefined): string | undefined;
}

const byCase = (text: string): string => cleanText(text).toLowerCase();

/** Parts the entities of the registry into those that may be named and those that opted out, before anything is built. */
export function publicEntities(registry: Registry): PublicEntities {
  const optedOut = registry.entities.filter((entity) => entity.isOptedOut);
  const hiddenWallets = new Set(
    optedOut.flatMap(({ wallets }) => wallets.map((wallet) => wallet.toLowerCase())),
  );
  // An opted-out entity may be labelled by its ENS name and own a further wallet that the registry does not know.
  const hiddenNames = new Set(optedOut.map(({ label }) => byCase(label)));
  const named = registry.entities
    .filter((entity) => !entity.isOptedOut)
    .map((entity): PublicEntity => {
      const label = cleanText(entity.label);
      invariant(label !== "", `${entity.entityId} has no label that can be published`);
      const wallets = entity.wallets.map((wallet) => wallet.toLowerCase()).sort();
      return { entityId: entity.entityId, label, wallets };
    })
    .sort((a, b) => (a.entityId < b.entityId ? -1 : 1));
  return {
    byId: new Map(named.map((entity) => [entity.entityId, entity])),
    delegateName(address, ens) {
      // A name that cleaning would change is dropped, not cleaned: `a\u200Bb.eth` was confirmed, `ab.eth` belongs to somebody else.
      if (ens === undefined || ens === "" || cleanText(ens) !== ens) return undefined;
      return hiddenWallets.has(address) || hiddenNames.has(byCase(ens)) ? undefined : ens;
    },
  };
}
