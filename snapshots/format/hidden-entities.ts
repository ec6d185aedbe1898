import type { TopEntity } from "./dao.ts";
import type { DelegateItem, DelegateListing, DelegationGraph } from "./delegates.ts";
import type { Entity } from "./entity.ts";
import { cleanText, shortAddress } from "./text.ts";

/** An entity that must not be named, with all that would name it. */
export interface HiddenEntity {
  readonly entityId: string;
  readonly label: string;
  readonly wallets: readonly string[];
}

/** What must not be said of anybody: ids, wallets in lower case, and names as they compare. */
export type HiddenNames = Readonly<Record<"ids" | "wallets" | "names", ReadonlySet<string>>>;

/** What is taken out of one version, and what comes in its place. */
export interface Redaction {
  readonly hidden: HiddenNames;
  /** Of every DAO, made of the entities that stay. */
  readonly topEntities: ReadonlyMap<string, readonly TopEntity[]>;
  /** How many entities stay. */
  readonly entitiesCount: number;
}

/** Anything that looks like a wallet or an entity's id, wherever in a text it stands. */
export const IDENTIFIER = /0x[0-9a-f]{40}|ent_[0-9a-z]{26}/gi;

/** A name as it compares with others. */
export const byCase = (text: string): string => cleanText(text).toLowerCase();

/** Everything that would name one of these entities. */
export function hiddenNames(entities: readonly HiddenEntity[]): HiddenNames {
  return {
    ids: new Set(entities.map(({ entityId }) => entityId)),
    wallets: new Set(entities.flatMap(({ wallets }) => wallets.map((wallet) => wallet.toLowerCase()))),
    names: new Set(entities.map(({ label }) => byCase(label))),
  };
}

/** A published entity as one that must not be named. */
export function hiddenEntity({ entity_id, label, wallets }: Entity): HiddenEntity {
  return { entityId: entity_id, label, wallets };
}

/** What must not be said of a version in which these entities stay: a wallet that is one of theirs is theirs to show. */
export function hiddenBeside(names: HiddenNames, staying: readonly Entity[]): HiddenNames {
  const wallets = new Set(names.wallets);
  for (const wallet of staying.flatMap((entity) => entity.wallets)) wallets.delete(wallet);
  return { ...names, wallets };
}

/**
 * A delegate's row as it may be shown: that of a hidden wallet, or one that bears a hidden name, keeps its place and its
 * numbers and becomes a bare address. A row with nothing to hide is the very same object.
 */
export function bareRow(item: DelegateItem, hidden: HiddenNames): DelegateItem {
  const { ens, ...row } = item;
  const bareName = shortAddress(item.address);
  const isBare = ens === undefined && item.display_name === bareName;
  const isNamed = ens !== undefined && hidden.names.has(byCase(ens));
  if (isBare || !(isNamed || hidden.wallets.has(item.address))) return item;
  return { ...row, display_name: bareName };
}

/** A listing as it may be shown: the very same object where it has nothing to hide. */
export function bareListing(listing: DelegateListing, hidden: HiddenNames): DelegateListing {
  const shown = listing.delegates.map((item) => bareRow(item, hidden));
  return withDelegates(listing, shown);
}

function withDelegates<Row, Whole extends { readonly delegates: Row[] }>(whole: Whole, shown: Row[]): Whole {
  return shown.every((row, index) => row === whole.delegates[index]) ? whole : { ...whole, delegates: shown };
}

/**
 * A graph as it may be shown: delegates become bare addresses as they do in the listing. Delegators stay: the shape gives
 * them no name, and a hole among them would tell what their address does not. Nothing to hide: the very same object.
 */
export function bareGraph(graph: DelegationGraph, hidden: HiddenNames): DelegationGraph {
  const delegates = graph.delegates.map((delegate) => {
    const { votes, ...row } = delegate;
    const bare = bareRow(row, hidden);
    return bare === row ? delegate : { ...bare, votes };
  });
  return withDelegates(graph, delegates);
}
