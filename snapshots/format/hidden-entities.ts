import type { TopEntity } from "./dao.ts";
import type { DelegateItem, DelegateListing, DelegationGraph } from "./delegates.ts";
import type { Entity } from "./entity.ts";
import { cleanText, shortAddress } from "./text.ts";

export interface HiddenEntity {
  readonly entityId: string;
  readonly label: string;
  readonly wallets: readonly string[];
}

/** What must not be published: IDs, wallets in lower case, and names as `byCase` returns them. */
export type HiddenNames = Readonly<Record<"ids" | "wallets" | "names", ReadonlySet<string>>>;

/** What to remove from one version, and what replaces it. */
export interface Redaction {
  readonly hidden: HiddenNames;
  /** Of every DAO, computed from the remaining entities. */
  readonly topEntities: ReadonlyMap<string, readonly TopEntity[]>;
  readonly entitiesCount: number;
}

/** Matches whatever looks like a wallet or an entity's ID, anywhere in a text. */
export const IDENTIFIER = /0x[0-9a-f]{40}|ent_[0-9a-z]{26}/gi;

export const byCase = (text: string): string => cleanText(text).toLowerCase();

export function hiddenNames(entities: readonly HiddenEntity[]): HiddenNames {
  return {
    ids: new Set(entities.map(({ entityId }) => entityId)),
    wallets: new Set(entities.flatMap(({ wallets }) => wallets.map((wallet) => wallet.toLowerCase()))),
    names: new Set(entities.map(({ label }) => byCase(label))),
  };
}

export function hiddenEntity({ entity_id, label, wallets }: Entity): HiddenEntity {
  return { entityId: entity_id, label, wallets };
}

/** The names to hide in a version in which `staying` remain: a wallet that one of these also has may be shown. */
export function hiddenBeside(names: HiddenNames, staying: readonly Entity[]): HiddenNames {
  const wallets = new Set(names.wallets);
  for (const wallet of staying.flatMap((entity) => entity.wallets)) wallets.delete(wallet);
  return { ...names, wallets };
}

/**
 * A delegate's row as it may be shown. With a hidden wallet or a hidden name, it keeps its rank and numbers, but shows
 * the address instead of a name. A row with nothing to hide is returned as the same object.
 */
export function bareRow(item: DelegateItem, hidden: HiddenNames): DelegateItem {
  const { ens, ...row } = item;
  const bareName = shortAddress(item.address);
  const isBare = ens === undefined && item.display_name === bareName;
  const isNamed = ens !== undefined && hidden.names.has(byCase(ens));
  if (isBare || !(isNamed || hidden.wallets.has(item.address))) return item;
  return { ...row, display_name: bareName };
}

/** The items as `show` returns them; the same list if it changes none. */
export function shownItems<Item>(items: Item[], show: (item: Item) => Item): Item[] {
  const shown = items.map(show);
  return shown.every((item, index) => item === items[index]) ? items : shown;
}

function withDelegates<Whole extends { readonly delegates: object[] }>(
  whole: Whole,
  delegates: Whole["delegates"],
): Whole {
  return delegates === whole.delegates ? whole : { ...whole, delegates };
}

/** A listing as it may be shown; the same object if it has nothing to hide. */
export function bareListing(listing: DelegateListing, hidden: HiddenNames): DelegateListing {
  return withDelegates(
    listing,
    shownItems(listing.delegates, (row) => bareRow(row, hidden)),
  );
}

/**
 * A graph as it may be shown: delegates become bare addresses, as in the listing. Delegators stay: their shape has no
 * name, and a gap would reveal what their address does not. Returns the same object if there is nothing to hide.
 */
export function bareGraph(graph: DelegationGraph, hidden: HiddenNames): DelegationGraph {
  const delegates = shownItems(graph.delegates, (delegate) => {
    const { votes, ...row } = delegate;
    const bare = bareRow(row, hidden);
    return bare === row ? delegate : { ...bare, votes };
  });
  return withDelegates(graph, delegates);
}
