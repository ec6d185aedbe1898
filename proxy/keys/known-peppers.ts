import type Database from "better-sqlite3";
import { type Pepper, type Peppers, pepperCheck } from "./key-digest.ts";

/** What a store knows of its peppers: a number and a fixed digest of each, never the pepper. */
export interface KnownPeppers {
  readonly idOf: (pepper: Pepper) => number;
  readonly accepts: (peppers: Peppers) => boolean;
  /** Keys that are neither revoked nor expired, and under none of these peppers: nobody can use them. */
  readonly countStranded: (peppers: Peppers, nowMs: number) => number;
}

/** Prepares the questions after peppers. */
export function preparePeppers(database: Database.Database): KnownPeppers {
  const find = database.prepare<[Buffer], { id: number }>(
    "SELECT pepper_id AS id FROM peppers WHERE digest = ?",
  );
  const add = database.prepare<[Buffer]>("INSERT INTO peppers (digest) VALUES (?) ON CONFLICT DO NOTHING");
  const anyKey = database.prepare<[], object>("SELECT 1 FROM keys LIMIT 1");
  const keyUnder = database.prepare<[number], object>("SELECT 1 FROM keys WHERE pepper_id = ? LIMIT 1");
  const activeByPepper = database.prepare<[number], { id: number; count: number }>(
    `SELECT pepper_id AS id, count(*) AS count FROM keys
     WHERE revoked_at_ms IS NULL AND (expires_at_ms IS NULL OR expires_at_ms > ?) GROUP BY pepper_id`,
  );
  const forget = database.prepare<[Buffer]>("DELETE FROM peppers WHERE digest <> ?");

  const idOf = (pepper: Pepper): number => {
    const check = pepperCheck(pepper);
    add.run(check);
    const known = find.get(check);
    if (known === undefined) throw new Error("invariant: a pepper was remembered and is not there");
    return known.id;
  };
  const takeIntoEmpty = database.transaction((newest: Pepper) => {
    if (anyKey.get() !== undefined) return;
    // Nothing was ever stored under the others: whoever looks at the numbers later would look for a key in vain.
    forget.run(pepperCheck(newest));
    idOf(newest);
  });
  const accepts = (peppers: Peppers): boolean => {
    const [newest, ...earlier] = peppers;
    if (anyKey.get() === undefined) {
      takeIntoEmpty.immediate(newest);
      if (anyKey.get() === undefined) return true;
    }
    // A mistyped earlier pepper would end all its keys without a word.
    if (earlier.some((pepper) => find.get(pepperCheck(pepper)) === undefined)) return false;
    return peppers.some((pepper) => {
      const id = find.get(pepperCheck(pepper))?.id;
      return id !== undefined && keyUnder.get(id) !== undefined;
    });
  };
  const countStranded = (peppers: Peppers, nowMs: number): number => {
    const here = new Set(peppers.map((pepper) => find.get(pepperCheck(pepper))?.id));
    const stranded = activeByPepper.all(nowMs).filter(({ id }) => !here.has(id));
    return stranded.reduce((sum, { count }) => sum + count, 0);
  };
  return { idOf, accepts, countStranded };
}
