import { randomInt } from "node:crypto";
import { invariant } from "../facts/errors.ts";
import type { TrackedEntity } from "../facts/tracked.ts";
import {
  ADDRESS_WORDS,
  addressWords,
  createVoterTable,
  isAddress,
  type VoterList,
  type VoterTable,
} from "../facts/voters.ts";
import type { Database } from "./database.ts";
import { eachVoterAfter, highestVoter, notInOrder, putVotersAfter } from "./voter-blocks.ts";

/**
 * Returns the entity id by voter number, for the wallets of entities that ever voted. All DAOs of a run use the same
 * registry and voter numbers never change, so all voters are visited once and later only the new ones.
 */
export function readEntityVoters(database: Database) {
  let known: readonly TrackedEntity[] | undefined;
  let wallets = createVoterTable(0);
  let owners: readonly { readonly entityId: string; readonly index: number }[] = [];
  let numbers = new Uint32Array();
  let seen = 0;
  let entityIds: ReadonlyMap<number, string> = new Map();
  return (entities: readonly TrackedEntity[]): ReadonlyMap<number, string> => {
    if (known !== entities) {
      known = entities;
      wallets = createVoterTable(randomInt(2 ** 32));
      owners = entities.flatMap(({ entityId, wallets: texts }) =>
        texts.filter(isAddress).map((text) => ({ entityId, index: wallets.internText(text) })),
      );
      numbers = new Uint32Array(wallets.count());
      seen = 0;
      entityIds = new Map();
    }
    const highest = highestVoter(database);
    if (highest === seen || numbers.length === 0) return entityIds;
    eachVoterAfter(database, seen, (words, offset, isLong, voterNumber) => {
      const index = wallets.find(words, offset, isLong);
      if (index >= 0) numbers[index] = voterNumber;
    });
    // Only now, so that after an error the same voters are visited again.
    seen = highest;
    const voted = owners.filter(({ index }) => numbers[index] !== 0);
    entityIds = new Map(voted.map(({ entityId, index }) => [numbers[index] as number, entityId]));
    return entityIds;
  };
}

/**
 * Runs `work`, and writes the voter numbers that it assigns, in a transaction in which nobody else writes: in the open
 * one, or in its own, rolled back if `work` throws.
 */
export type WriteAtOnce = <Result>(work: () => Result) => Result;

/** Assigns voter numbers during fetches: looked up in memory, written with the transaction that uses them. */
export type VoterNumbers = ReturnType<typeof createVoterNumbers>;

/** Twenty times the number of all voters so far, and small enough for one typed array. */
const VOTERS_MAX = 2 ** 28;

/** Numbers voters from 1 without gaps; known voters are read on the first use, not when the file is opened. */
export function createVoterNumbers(database: Database) {
  let table = createVoterTable(randomInt(2 ** 32));
  /** How many voters of the table have been committed. */
  let written = 0;
  let isCurrent = false;
  let seenDataVersion: unknown;

  const forget = () => {
    isCurrent = false;
    // Voters that were read or committed stay valid; others cannot be removed one by one, so the table starts anew.
    if (table.count() > written) table = createVoterTable(randomInt(2 ** 32));
    written = table.count();
  };
  const numbers = (): VoterTable => {
    if (isCurrent) return table;
    try {
      eachVoterAfter(database, table.count(), (words, offset, isLong, voterNumber) => {
        if (table.intern(words, offset, isLong) !== voterNumber - 1) throw notInOrder();
      });
    } catch (error) {
      // A partly filled table must never be written over the blocks that could not be read.
      forget();
      throw error;
    }
    written = table.count();
    isCurrent = true;
    return table;
  };
  const assertRoom = () => invariant(table.count() <= VOTERS_MAX, "too many voters for the table");
  const begin = () => {
    database.exec("BEGIN IMMEDIATE");
    const dataVersion = database.pragma("data_version", { simple: true });
    // Another process may have assigned numbers since; they are read on the next use.
    if (dataVersion !== seenDataVersion) isCurrent = false;
    seenDataVersion = dataVersion;
  };
  const commit = () => {
    if (table.count() > written) putVotersAfter(database, written, table.list());
    database.exec("COMMIT");
    written = table.count();
  };
  const rollBack = () => {
    if (database.inTransaction) database.exec("ROLLBACK");
    forget();
  };
  const writeAtOnce: WriteAtOnce = (work) => {
    if (database.inTransaction) return work();
    begin();
    try {
      const result = work();
      commit();
      return result;
    } catch (error) {
      rollBack();
      throw error;
    }
  };
  return {
    numberOf(address: string): number {
      const number = numbers().internText(address) + 1;
      assertRoom();
      return number;
    },
    numbersOf({ count, words, isLong }: VoterList): Uint32Array {
      const known = numbers();
      const result = new Uint32Array(count);
      for (let index = 0; index < count; index += 1) {
        result[index] = known.intern(words, index * ADDRESS_WORDS, isLong[index] === 1) + 1;
      }
      assertRoom();
      return result;
    },
    /** The number of an address; `undefined` if it has none. A committed number never changes. */
    known(address: string): number | undefined {
      const { words, isLong } = addressWords(address);
      const index = numbers().find(words, 0, isLong);
      return index < 0 ? undefined : index + 1;
    },
    /** The largest number assigned so far; 0 before the first. */
    highest: () => numbers().count(),
    writeAtOnce,
    // The transaction of a caller that holds one for long.
    begin,
    commit,
    rollBack,
  };
}
