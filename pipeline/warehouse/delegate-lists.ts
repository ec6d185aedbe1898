import { deflateRawSync, inflateRawSync } from "node:zlib";
import type { DelegateList, ListedDelegate } from "../facts/dao-facts.ts";
import { openSealed, sealColumns } from "./byte-columns.ts";
import { corrupt, type Database } from "./database.ts";

/** Stores a DAO's delegates of one day as one row; a later list of the same day replaces it. */
export function putDelegateList(
  database: Database,
  daoNumber: number,
  { spaceId, delegates, ...list }: DelegateList,
): void {
  const packed = packDelegates(`${spaceId} ${list.date}`, delegates);
  database.put("delegate_lists", { daoNumber, ...list, packed });
}

/** A DAO's delegate lists by date, ascending; throws WAREHOUSE_CORRUPT if a checksum does not match. */
export function readDelegateLists(
  database: Database,
  daoNumber: number,
  spaceId: string,
): readonly DelegateList[] {
  const select = `SELECT date, as_of_ms, is_complete, decimals, fetched_at_ms, packed
     FROM delegate_lists WHERE dao_number = ? ORDER BY date`;
  const rows = database.all<Omit<DelegateList, "spaceId" | "delegates"> & { packed: Buffer }>(
    select,
    daoNumber,
  );
  return rows.map(({ packed, ...list }) => ({
    ...list,
    spaceId,
    delegates: unpackDelegates(`${spaceId} ${list.date}`, packed),
  }));
}

/** Votes as digits. */
type Row = readonly [address: string, votes: string, delegatorsCount: number, ens?: string];

/** Packs delegates under the name of their list: raw-deflated JSON rows. */
function packDelegates(name: string, delegates: readonly ListedDelegate[]): Buffer {
  const rows = delegates.map(({ address, votes, delegatorsCount, ens }): Row => {
    const row = [address, votes.toString(), delegatorsCount] as const;
    return ens === undefined ? row : [...row, ens];
  });
  return sealColumns(name, [deflateRawSync(Buffer.from(JSON.stringify(rows), "utf8"))]);
}

/** Ten times a list of a million delegates. */
const LIST_BYTES_MAX = 1024 ** 3;

/** The inverse of `packDelegates`; throws WAREHOUSE_CORRUPT, naming the list, if the bytes are damaged. */
function unpackDelegates(name: string, packed: Buffer): readonly ListedDelegate[] {
  const deflated = openSealed(name, packed, 0, (what) => corrupt(`delegate list ${name}: ${what}`));
  const text = inflateRawSync(deflated, { maxOutputLength: LIST_BYTES_MAX }).toString();
  // The checksum holds: these are rows of ours.
  const rows = JSON.parse(text) as readonly Row[];
  return rows.map(([address, votes, delegatorsCount, ens]) => {
    return { address, votes: BigInt(votes), delegatorsCount, ens };
  });
}
