import { chmodSync, closeSync, fsyncSync, linkSync, openSync, unlinkSync } from "node:fs";
import { dirname } from "node:path";
import Database from "better-sqlite3";
import { layOptOutTables, SECRET_BYTES } from "./opt-out-database.ts";
import { optOutsError } from "./opt-outs-error.ts";

/** For the owner alone; and where two programs run as two users, for the group they share. */
export const OPT_OUTS_MODES = { owner: 0o600, group: 0o660 } as const;

/** What making a list needs. */
export interface NewOptOuts {
  readonly path: string;
  readonly mode: (typeof OPT_OUTS_MODES)[keyof typeof OPT_OUTS_MODES];
  readonly randomBytes: (count: number) => Uint8Array;
}

function syncFolder(path: string): void {
  const folder = openSync(dirname(path), "r");
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/**
 * Makes an empty list with a secret of its own, whole before it has its name; false where there is one already, which
 * stays as it is. Throws `OptOutsError`.
 */
export function createOptOuts({ path, mode, randomBytes }: NewOptOuts): boolean {
  const draft = `${path}.${Buffer.from(randomBytes(4)).toString("hex")}.new`;
  try {
    closeSync(openSync(draft, "wx", mode));
    try {
      // The mask of the process would take the group's right away.
      chmodSync(draft, mode);
      const database = new Database(draft);
      try {
        layOptOutTables(database, randomBytes(SECRET_BYTES));
      } finally {
        database.close();
      }
      linkSync(draft, path);
      syncFolder(path);
      return true;
    } finally {
      unlinkSync(draft);
    }
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw optOutsError(error);
  }
}
