import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { DelegateList, ListedDelegate } from "../facts/delegation.ts";
import { checksumOf } from "./byte-columns.ts";
import { bitOf, corrupt, type Database } from "./database.ts";

/** Packs a delegate list: CRC-32, then raw-deflated JSON rows `[address, votes, delegators, ens?]`; votes as digits. */
function packDelegates(list: DelegateList): Buffer {
  const rows = list.delegates.map(({ address, votes, delegatorsCount, ens }) =>
    ens === undefined
      ? [address, votes.toString(), delegatorsCount]
      : [address, votes.toString(), delegatorsCount, ens],
  );
  const deflated = deflateRawSync(Buffer.from(JSON.stringify(rows), "utf8"));
  const checksum = Buffer.alloc(4);
  checksum.writeUInt32LE(checksumOf(delegateListName(list), deflated));
  return Buffer.concat([checksum, deflated]);
}

/** The name of a delegate list in its checksum and in errors. */
function delegateListName(list: { readonly spaceId: string; readonly date: string }): string {
  return `${list.spaceId} ${list.date}`;
}

/** Stores a DAO's delegates of one day as one row; a later list of the same day replaces it. */
export function putDelegateList(database: Database, daoNumber: number, list: DelegateList): void {
  database.run(
    `INSERT OR REPLACE INTO delegate_lists
       (dao_number, date, as_of_ms, is_complete, decimals, fetched_at_ms, packed)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
    daoNumber,
    list.date,
    list.asOfMs,
    bitOf(list.isComplete),
    list.decimals,
    list.fetchedAtMs,
    packDelegates(list),
  );
}

/** Ten times a list of a million delegates. */
const LIST_BYTES_MAX = 1024 ** 3;

/** The inverse of `packDelegates`; throws WAREHOUSE_CORRUPT, naming the list, if the bytes are damaged. */
function unpackDelegates(name: string, packed: Uint8Array): readonly ListedDelegate[] {
  const bytes = Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength);
  const deflated = bytes.subarray(4);
  if (bytes.length < 4 || bytes.readUInt32LE(0) !== checksumOf(name, deflated)) {
    throw corrupt(`delegate list ${name}: its checksum does not match`);
  }
  const rows: unknown = JSON.parse(inflateRawSync(deflated, { maxOutputLength: LIST_BYTES_MAX }).toString());
  if (!Array.isArray(rows)) throw corrupt(`delegate list ${name}: it is not a list`);
  return rows.map((row: unknown) => {
    const delegate = delegateOf(row);
    if (delegate === undefined) throw corrupt(`delegate list ${name}: a row cannot be read`);
    return delegate;
  });
}

function delegateOf(row: unknown): ListedDelegate | undefined {
  if (!Array.isArray(row)) return undefined;
  const [address, votes, delegatorsCount, ens]: readonly unknown[] = row;
  if (typeof address !== "string" || typeof votes !== "string" || typeof delegatorsCount !== "number") {
    return undefined;
  }
  return {
    address,
    votes: BigInt(votes),
    delegatorsCount,
    ens: typeof ens === "string" ? ens : undefined,
  };
}

type Row = Omit<DelegateList, "spaceId" | "isComplete" | "delegates"> & {
  readonly isComplete: number;
  readonly packed: Buffer;
};

/** A DAO's delegate lists by date, ascending; throws WAREHOUSE_CORRUPT if a checksum does not match. */
export function readDelegateLists(
  database: Database,
  daoNumber: number,
  spaceId: string,
): readonly DelegateList[] {
  const select = `SELECT date, as_of_ms AS asOfMs, is_complete AS isComplete, decimals, fetched_at_ms AS fetchedAtMs,
            packed
     FROM delegate_lists WHERE dao_number = ? ORDER BY date`;
  return database.all<Row>(select, daoNumber).map(({ packed, isComplete, ...list }) => ({
    ...list,
    spaceId,
    isComplete: isComplete === 1,
    delegates: unpackDelegates(delegateListName({ spaceId, date: list.date }), packed),
  }));
}
