import { DelegateItem } from "../format/delegates.ts";
import type { Entity } from "../format/entity.ts";
import { ENVELOPES } from "../format/envelope.ts";
import { bareRow, type HiddenNames, hiddenNames } from "../format/hidden-entities.ts";
import { topEntitiesOf } from "../format/top-entities.ts";
import type { DenyList } from "../optouts/deny-list.ts";
import { decoysOf } from "./decoys.ts";
import { readyDocumentOf } from "./representation.ts";
import type { ReadyDocument, ReadyListing, SnapshotReader } from "./snapshot-reader.ts";

function entityOf(reader: SnapshotReader, entityId: string): Entity[] {
  const ready = reader.document("entity", entityId);
  if (ready === undefined) return [];
  return [ENVELOPES.entity.parse(JSON.parse(ready.identity.bytes.toString("utf8"))).data];
}

/** A DAO's detail with the next in line where denied entities stood; undefined where it names none of them. */
function withoutDenied(
  ready: ReadyDocument,
  hidden: HiddenNames,
  topEntities: () => ReturnType<typeof topEntitiesOf>,
): ReadyDocument | undefined {
  const { data, meta } = ENVELOPES.dao.parse(JSON.parse(ready.identity.bytes.toString("utf8")));
  if (!data.top_entities.some(({ entity_id }) => hidden.ids.has(entity_id))) return undefined;
  const detail = { ...data, top_entities: [...(topEntities().get(data.space_id) ?? [])] };
  // Parsed, as published documents are: the shape gives the keys their order.
  const body = ENVELOPES.dao.parse({ data: detail, meta });
  return readyDocumentOf(Buffer.from(`${JSON.stringify(body)}\n`, "utf8"));
}

function withBareRows(listing: ReadyListing, hidden: HiddenNames): ReadyListing {
  const rows = listing.rows.map((row) => {
    const item = DelegateItem.parse(JSON.parse(row.json));
    const shown = bareRow(item, hidden);
    return shown === item ? row : { ...row, json: JSON.stringify(DelegateItem.parse(shown)) };
  });
  return { ...listing, rows };
}

/**
 * A version as a caller may see it: without the entities of the list, with whom they stood in front of in their places,
 * and with their wallets as bare addresses. The very reader itself where the version names none of them.
 */
export function guardReader(reader: SnapshotReader, list: DenyList): SnapshotReader {
  const entityIds = reader.entityIds();
  const deniedIds = entityIds.filter((entityId) => list.has(entityId));
  if (deniedIds.length === 0) return reader;
  const denied = deniedIds.flatMap((entityId) => entityOf(reader, entityId));
  const hidden = hiddenNames(
    denied.map(({ entity_id, label, wallets }) => ({ entityId: entity_id, label, wallets })),
  );
  const decoys = decoysOf([...hidden.ids, ...hidden.wallets], (name) => {
    return reader.document("entity", name) !== undefined || reader.entityIdOfWallet(name) !== undefined;
  });
  let topEntities: ReturnType<typeof topEntitiesOf> | undefined;
  const remainingTop = () => {
    topEntities ??= topEntitiesOf(
      entityIds.filter((id) => !hidden.ids.has(id)).flatMap((id) => entityOf(reader, id)),
    );
    return topEntities;
  };
  const details = new Map<string, ReadyDocument>();
  const detailOf = (spaceId: string): ReadyDocument | undefined => {
    const known = details.get(spaceId);
    if (known !== undefined) return known;
    const ready = reader.document("dao", spaceId);
    if (ready === undefined) return undefined;
    const shown = withoutDenied(ready, hidden, remainingTop) ?? ready;
    // Only ids that the version holds get here, so this is no larger than the version.
    details.set(spaceId, shown);
    return shown;
  };
  const shownListing = (listing: ReadyListing | undefined) =>
    listing === undefined ? undefined : withBareRows(listing, hidden);
  return {
    ...reader,
    document: (kind, id) => {
      if (kind === "dao") return detailOf(id);
      return reader.document(kind, kind === "entity" ? decoys.of(id) : id);
    },
    entityIdOfWallet: (wallet) => reader.entityIdOfWallet(decoys.of(wallet)),
    latestListing: (spaceId) => shownListing(reader.latestListing(spaceId)),
    datedListing: (spaceId, date) => shownListing(reader.datedListing(spaceId, date)),
  };
}
