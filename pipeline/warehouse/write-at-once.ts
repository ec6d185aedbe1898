import type { Database } from "better-sqlite3";
import type { VoterNumbers } from "./voter-numbers.ts";

/** Does `work` in a transaction of its own, whole or not at all, while nobody else writes. */
export type WriteAtOnce = <Result>(work: () => Result) => Result;

/** Keeps the voters' numbers in memory true: another process may have given some since this one last wrote. */
export function createWriteAtOnce(database: Database, voters: VoterNumbers): WriteAtOnce {
  let seenDataVersion: unknown;
  return (work) => {
    const write = database.transaction(() => {
      const dataVersion = database.pragma("data_version", { simple: true });
      if (dataVersion !== seenDataVersion) voters.refresh();
      seenDataVersion = dataVersion;
      const result = work();
      voters.write();
      return result;
    });
    try {
      const result = write.immediate();
      voters.settle();
      return result;
    } catch (error) {
      voters.forget();
      throw error;
    }
  };
}
