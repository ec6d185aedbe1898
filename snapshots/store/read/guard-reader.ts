import type { TopEntity } from "../../format/dao.ts";
import { DelegateItem } from "../../format/delegates.ts";
import { type Entity, topEntitiesOf } from "../../format/entity.ts";
import { ENVELOPES } from "../../format/envelope.ts";
import { bareRow, type HiddenNames, hiddenEntity, hiddenNames } from "../../format/hidden-entities.ts";
import type { DenyList } from "../../optouts/deny-list.ts";
import {
  type ReadyDocument,
  type ReadyListing,
  readyDocumentOf,
  type SnapshotReader,
} from "./snapshot-reader.ts";

/**
 * Hides opted-out entities from callers of a version: they look unknown, others replace them in the lists of top
 * entities, and their wallets become bare addresses. Returns `reader` itself if the version names none of them.
 */
export function guardReader(reader: SnapshotReader, list: DenyList): SnapshotReader {
  const entityIds = reader.entityIds();
  const deniedIds = entityIds.filter((entityId) => list.has(entityId));
  if (deniedIds.length === 0) return reader;
  const hidden = hiddenNames(deniedIds.flatMap((id) => entityOf(reader, id)).map(hiddenEntity));
  let remainingTop: ReturnType<typeof topEntitiesOf> | undefined;
  const topEntities = (spaceId: string) => {
    remainingTop ??= topEntitiesOf(
      entityIds.filter((id) => !hidden.ids.has(id)).flatMap((id) => entityOf(reader, id)),
    );
    return remainingTop.get(spaceId) ?? [];
  };
  const details = new Map<string, ReadyDocument>();
  const detailOf = (spaceId: string): ReadyDocument | undefined => {
    const known = details.get(spaceId);
    if (known !== undefined) return known;
    const ready = reader.document("dao", spaceId);
    if (ready === undefined) return undefined;
    const shown = withoutDenied(ready, hidden, topEntities);
    // Only IDs in the version get here, so the map cannot grow beyond the version.
    details.set(spaceId, shown);
    return shown;
  };
  return {
    ...reader,
    document: (kind, id) => {
      if (kind === "dao") return detailOf(id);
      return kind === "entity" && hidden.ids.has(id) ? undefined : reader.document(kind, id);
    },
    entityIdOfWallet: (wallet) => (hidden.wallets.has(wallet) ? undefined : reader.entityIdOfWallet(wallet)),
    latestListing: (spaceId) => withBareRows(reader.latestListing(spaceId), hidden),
    datedListing: (spaceId, date) => withBareRows(reader.datedListing(spaceId, date), hidden),
  };
}

function entityOf(reader: SnapshotReader, entityId: string): Entity[] {
  const ready = reader.document("entity", entityId);
  if (ready === undefined) return [];
  return [ENVELOPES.entity.parse(JSON.parse(ready.identity.bytes.toString("utf8"))).data];
}

/** A DAO's detail with denied entities replaced by the next ones; the same object if it names none of them. */
function withoutDenied(
  ready: ReadyDocument,
  hidden: HiddenNames,
  topEntities: (spaceId: string) => readonly TopEntity[],
): ReadyDocument {
  const { data, meta } = ENVELOPES.dao.parse(JSON.parse(ready.identity.bytes.toString("utf8")));
  if (!data.top_entities.some(({ entity_id }) => hidden.ids.has(entity_id))) return ready;
  const detail = { ...data, top_entities: [...topEntities(data.space_id)] };
  // Parsed like published documents, because the shape orders the keys.
  const body = ENVELOPES.dao.parse({ data: detail, meta });
  return readyDocumentOf(Buffer.from(`${JSON.stringify(body)}\n`, "utf8"));
}

function withBareRows(listing: ReadyListing | undefined, hidden: HiddenNames): ReadyListing | undefined {
  const rows = listing?.rows.map((row) => {
    const item = DelegateItem.parse(JSON.parse(row.json));
    const shown = bareRow(item, hidden);
    return shown === item ? row : { ...row, json: JSON.stringify(DelegateItem.parse(shown)) };
  });
  return listing && rows && { ...listing, rows };
}
