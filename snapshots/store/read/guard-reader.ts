import { createHash, timingSafeEqual } from "node:crypto";
import { DelegateItem } from "../../format/delegates.ts";
import { type Entity, topEntitiesOf } from "../../format/entity.ts";
import { ENVELOPES } from "../../format/envelope.ts";
import { bareRow, type HiddenNames, hiddenNames } from "../../format/hidden-entities.ts";
import type { DenyList } from "../../optouts/deny-list.ts";
import {
  type ReadyDocument,
  type ReadyListing,
  readyDocumentOf,
  type SnapshotReader,
} from "./snapshot-reader.ts";

/** What is looked up in the place of a name that may not be known. */
export interface Decoys {
  /** The decoy of a hidden name, or any other name itself. */
  of(name: string): string;
}

/** A name of the same shape (`ent_` or `0x`, then digits), anywhere among all that could be. */
function decoyOf(name: string, attempt: number): string {
  const digits = createHash("sha256").update(`${attempt} ${name}`).digest("hex");
  const head = name.slice(0, name.startsWith("0x") ? 2 : 4);
  return head + digits.slice(0, name.length - head.length);
}

/** Bytes of a digest that make a number which is exact as a double: enough to find a name by. */
const KEY_BYTES = 6;

interface Decoy {
  readonly key: number;
  readonly digest: Buffer;
  readonly name: Buffer;
}

/** Where the key is, or where it would be: as many steps for the one as for the other. */
function placeOfKey(keys: Float64Array, key: number): number {
  let from = 0;
  for (let length = keys.length; length > 1; ) {
    const half = length >> 1;
    if ((keys[from + half] ?? 0) <= key) from += half;
    length -= half;
  }
  return from;
}

/**
 * A name for each hidden one that nobody has: looking that up takes the very steps of looking up something unknown,
 * where skipping the question would be quicker and could be told apart by a clock. For the same reason every name is
 * held against the hidden one that lies next to it, and both spellings are made, before one of them is taken.
 */
export function decoysOf(names: readonly string[], isTaken: (name: string) => boolean): Decoys {
  const digestOf = (bytes: Buffer) => createHash("sha256").update(bytes).digest();
  const decoys = [...new Set(names)]
    .map((name): Decoy => {
      let attempt = 0;
      while (isTaken(decoyOf(name, attempt))) attempt += 1;
      const digest = digestOf(Buffer.from(name, "utf8"));
      const key = digest.readUIntBE(0, KEY_BYTES);
      return { key, digest, name: Buffer.from(decoyOf(name, attempt), "utf8") };
    })
    .sort((a, b) => a.key - b.key);
  const keys = Float64Array.from(decoys, ({ key }) => key);
  // One of the two would be shown: rather nothing is. It takes millions of names to come to this.
  if (new Set(keys).size !== keys.length) throw new Error("invariant: two hidden names have the same key");
  return {
    of: (name) => {
      const bytes = Buffer.from(name, "utf8");
      const digest = digestOf(bytes);
      const nearest = decoys[placeOfKey(keys, digest.readUIntBE(0, KEY_BYTES))];
      if (nearest === undefined) return name;
      const isHidden = timingSafeEqual(nearest.digest, digest);
      const spellings = [bytes.toString("utf8"), nearest.name.toString("utf8")];
      return spellings[Number(isHidden)] ?? name;
    },
  };
}

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
