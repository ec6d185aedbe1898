import { type HiddenEntity, type HiddenNames, hiddenNames } from "../../snapshots/format/hidden-entities.ts";
import type { LocatedVersion } from "../../snapshots/store/locate-version.ts";
import { entitiesOf } from "../../snapshots/store/redact-draft.ts";

/** Who may not be named: those whom the registry knows, with labels and wallets, and whoever is on the live list. */
export interface OptedOut {
  readonly known: readonly HiddenEntity[];
  readonly isHidden: (entityId: string) => boolean;
}

/**
 * Answers what must not be said of a version. What one of these versions knows of somebody is hidden in all of them; a
 * wallet that is another entity's there is that one's to show. Throws `SnapshotError` where a version is damaged.
 */
export function hiddenNamesOf(
  versions: readonly LocatedVersion[],
  { known, isHidden }: OptedOut,
): (located: LocatedVersion) => HiddenNames {
  const knownIds = new Set(known.map(({ entityId }) => entityId));
  const isOut = (entityId: string): boolean => knownIds.has(entityId) || isHidden(entityId);
  const found = versions
    .flatMap(entitiesOf)
    .filter(({ entity_id }) => isOut(entity_id))
    .map(({ entity_id, label, wallets }) => ({ entityId: entity_id, label, wallets }));
  const names = hiddenNames([...known, ...found]);
  return (located) => {
    const wallets = new Set(names.wallets);
    for (const entity of entitiesOf(located)) {
      if (isOut(entity.entity_id)) continue;
      for (const wallet of entity.wallets) wallets.delete(wallet);
    }
    return { ...names, wallets };
  };
}
