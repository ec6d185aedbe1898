import type { Database } from "better-sqlite3";
import { invariant } from "../../base/invariant.ts";
import { addressBytes } from "../address-bytes.ts";

/**
 * The number of a DAO's token, given when its first events are written. The events that a source keeps as it reads
 * them have a number of their own; `PUT` is for those that came with fetches.
 */
export function openToken(database: Database): (daoNumber: number, keptBy: string, token: string) => number {
  const insert = database.prepare<[number, string, Buffer]>(
    "INSERT INTO tokens (dao_number, kept_by, address) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
  );
  const select = database.prepare<[number, string, Buffer], { tokenNumber: number }>(
    "SELECT token_number AS tokenNumber FROM tokens WHERE dao_number = ? AND kept_by = ? AND address = ?",
  );
  return (daoNumber, keptBy, token) => {
    const address = addressBytes(token);
    insert.run(daoNumber, keptBy, address);
    const tokenNumber = select.get(daoNumber, keptBy, address)?.tokenNumber;
    invariant(tokenNumber !== undefined, "a token that was just written is there");
    return tokenNumber;
  };
}

/** In place of a source: the events came with fetches, from whichever source. */
export const PUT = "";
