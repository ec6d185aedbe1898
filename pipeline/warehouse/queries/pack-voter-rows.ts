import type { Database } from "better-sqlite3";
import { ADDRESS_WORDS } from "../../facts/voter-list.ts";
import { addressOf, addressWords } from "../address-bytes.ts";
import { notInOrder, voterBlocks } from "./voter-blocks.ts";

/** Packs what lies in `voters`, and drops the table; throws WAREHOUSE_CORRUPT where the numbers have gaps. */
export function packVoterRows(database: Database): void {
  const count = database.prepare<[], number>("SELECT count(*) FROM voters").pluck().get() ?? 0;
  const rows = database.prepare<[], { address: Buffer; voterNumber: number }>(
    "SELECT address, voter_number AS voterNumber FROM voters ORDER BY voter_number",
  );
  const words = new Int32Array(count * ADDRESS_WORDS);
  const isLong = new Uint8Array(count);
  let place = 0;
  for (const { address, voterNumber } of rows.iterate()) {
    if (voterNumber !== place + 1) throw notInOrder();
    const voter = addressWords(addressOf(address));
    words.set(voter.words, place * ADDRESS_WORDS);
    isLong[place] = voter.isLong ? 1 : 0;
    place += 1;
  }
  voterBlocks(database).putAfter(0, { count, words, isLong });
  database.exec("DROP TABLE voters");
}
