import type { DaoFacts } from "../../../../pipeline/facts/dao-facts.ts";
import type { SpaceSink } from "../../../../pipeline/facts/governance-source.ts";
import type { GovernorToken } from "../../../../pipeline/facts/tracked.ts";
import { openWarehouse } from "../../../../pipeline/warehouse/warehouse.ts";
import { openSqlite, type SqliteDatabase } from "../../../../snapshots/base/sqlite.ts";
import { NO_ENTITIES } from "../../warehouse/sample-facts.ts";
import { createWarehouseHome } from "../../warehouse/warehouse-home.ts";
import { type MemorySink, memorySink } from "../memory-sink.ts";

/** What the fetches of one DAO left in a warehouse, whole and interrupted. */
export interface FetchLedger {
  /** A fetch of a process of its own. Without a commit, it ends as one that was killed. */
  open(): { readonly sink: SpaceSink; readonly seen: MemorySink; commit(): void; close(): void };
  /** What readers see: proposals, ballots, and the events of the governor's token. */
  facts(governor: GovernorToken): Pick<DaoFacts, "proposals" | "ballots" | "delegationEvents">;
  /** The newest block up to which events are stored, committed or not. */
  heldThrough(): number | undefined;
  pagesCount(): number;
  /** Somebody else drops every ballot. */
  loseVotes(): void;
}

let ledgers = 0;

/** Starts empty. Ledgers of one home number voters alike. */
export function createFetchLedger(home = createWarehouseHome()): FetchLedger {
  ledgers += 1;
  const spaceId = `ledger-${ledgers}.eth`;
  const inFile = <Result>(work: (database: SqliteDatabase) => Result): Result => {
    const database = openSqlite(home.path);
    const result = work(database);
    database.close();
    return result;
  };
  const one = (select: string) => inFile((database) => database.prepare(select).pluck().get(spaceId));
  return {
    open() {
      const warehouse = openWarehouse(home.path);
      const fetch = warehouse.beginSpaceFetch({ spaceId, sourceId: "governor", fetchedAtMs: 1_000 });
      const seen = memorySink();
      const sink: SpaceSink = {
        ...fetch,
        put(record) {
          seen.put(record);
          fetch.put(record);
        },
        internVoter(address) {
          const number = fetch.internVoter(address);
          seen.voters.set(address, number);
          return number;
        },
      };
      return { sink, seen, commit: () => void fetch.commit(), close: warehouse.close };
    },
    facts(governor) {
      const warehouse = openWarehouse(home.path);
      const dao = { spaceId, name: "Real", category: "defi", governor } as const;
      const { proposals, ballots, delegationEvents } = warehouse.daoFacts(dao, NO_ENTITIES);
      warehouse.close();
      return { proposals, ballots, delegationEvents };
    },
    heldThrough: () =>
      (one(`SELECT max(block_number) FROM held_blocks JOIN tokens USING (token_number)
        JOIN daos USING (dao_number) WHERE space_id = ?`) as number | null) ?? undefined,
    pagesCount: () =>
      one("SELECT count(*) FROM fetch_pages JOIN daos USING (dao_number) WHERE space_id = ?") as number,
    loseVotes: () => inFile((database) => void database.exec("DELETE FROM ballots")),
  };
}
