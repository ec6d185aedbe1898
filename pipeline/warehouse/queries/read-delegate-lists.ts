import type { Database } from "better-sqlite3";
import type { DelegateList } from "../../facts/delegation.ts";
import { delegateListName } from "../pack-delegates.ts";
import { unpackDelegates } from "../unpack-delegates.ts";

interface Row {
  readonly date: string;
  readonly asOfMs: number;
  readonly isComplete: number;
  readonly decimals: number;
  readonly fetchedAtMs: number;
  readonly packed: Buffer;
}

/** A DAO's delegate lists by date, ascending, each checked against its checksum. */
export function readDelegateLists(
  database: Database,
): (daoNumber: number, spaceId: string) => readonly DelegateList[] {
  const select = database.prepare<[number], Row>(
    `SELECT date, as_of_ms AS asOfMs, is_complete AS isComplete, decimals, fetched_at_ms AS fetchedAtMs, packed
     FROM delegate_lists WHERE dao_number = ? ORDER BY date`,
  );
  return (daoNumber, spaceId) =>
    select.all(daoNumber).map(({ packed, isComplete, ...list }) => ({
      ...list,
      spaceId,
      isComplete: isComplete === 1,
      delegates: unpackDelegates(delegateListName({ spaceId, date: list.date }), packed),
    }));
}
