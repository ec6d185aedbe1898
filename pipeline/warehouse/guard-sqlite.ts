import Database from "better-sqlite3";
import { PipelineError } from "../base/pipeline-error.ts";
import { corrupt } from "./corrupt.ts";

/** Does `work`, and turns what SQLite says about a damaged or busy file into our own codes. Other errors pass as they are. */
export function guardSqlite<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
    if (error.code === "SQLITE_NOTADB") throw corrupt("it is not an SQLite file", error);
    if (error.code.startsWith("SQLITE_CORRUPT")) throw corrupt("its pages do not fit together", error);
    if (error.code.startsWith("SQLITE_BUSY")) {
      throw new PipelineError("WAREHOUSE_BUSY", "another process is writing to the warehouse", {
        hint: "wait until its fetch has ended, then try again",
        cause: error,
      });
    }
    throw error;
  }
}
