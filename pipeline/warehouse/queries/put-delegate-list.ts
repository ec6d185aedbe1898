import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";
import type { DelegateList } from "../../facts/delegation.ts";
import { bitOf } from "../columns.ts";
import { packDelegates } from "../pack-delegates.ts";

/** Keeps a DAO's delegates of one day as one row; a later list of the same day replaces it, lists of other days stay. */
export function putDelegateList(database: Database): (daoNumber: number, list: DelegateList) => void {
  const replace = database.prepare<[number, string, number, 0 | 1, number, number, Buffer]>(
    `INSERT OR REPLACE INTO delegate_lists
       (dao_number, date, as_of_ms, is_complete, decimals, fetched_at_ms, packed)
     VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  return (daoNumber, list) => {
    invariant(
      list.delegates.every(({ delegatorsCount }) => Number.isSafeInteger(delegatorsCount)),
      `delegate list ${list.date}: delegators are whole numbers`,
    );
    replace.run(
      daoNumber,
      list.date,
      list.asOfMs,
      bitOf(list.isComplete),
      list.decimals,
      list.fetchedAtMs,
      packDelegates(list),
    );
  };
}
