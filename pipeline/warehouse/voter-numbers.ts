import { randomInt } from "node:crypto";
import { invariant } from "../facts/errors.ts";
import type { TrackedEntity } from "../facts/tracked.ts";
import { ADDRESS_WORDS, createVoterTable, type VoterList, type VoterTable } from "../facts/voters.ts";
import { addressWords, isAddress } from "./byte-columns.ts";
import type { Database } from "./database.ts";
import { eachVoterAfter, highestVoter, notInOrder, putVotersAfter } from "./voter-blocks.ts";

/**
 * The entities' wallets that ever voted, as interned numbers with the entity's id. Every DAO of a run asks for those of
 * the same registry, and a number once given stays: all voters are gone through once, and later the new ones alone.
 */
export function readEntityVoters(
  database: Database,
): (entities: readonly TrackedEntity[]) => ReadonlyMap<number, string> {
  let known: readonly TrackedEntity[] | undefined;
  let catchUp: () => ReadonlyMap<number, string>;
  return (entities) => {
    if (known !== entities) catchUp = lookUp(database, entities);
    known = entities;
    return catchUp();
  };
}

/** Goes through the voters that came since the last call, whole or not at all. */
function lookUp(database: Database, entities: readonly TrackedEntity[]): () => ReadonlyMap<number, string> {
  const wallets = createVoterTable(randomInt(2 ** 32));
  const owners = entities.flatMap(({ entityId, wallets: texts }) =>
    texts.filter(isAddress).map((text) => {
      const { words, isLong } = addressWords(text);
      return { entityId, place: wallets.intern(words, 0, isLong) };
    }),
  );
  const numbers = new Uint32Array(wallets.count());
  let seen = 0;
  let entityIds: ReadonlyMap<number, string> = new Map();
  return () => {
    const highest = highestVoter(database);
    if (highest === seen || numbers.length === 0) return entityIds;
    eachVoterAfter(database, seen, (words, at, isLong, voterNumber) => {
      const place = wallets.find(words, at, isLong);
      if (place >= 0) numbers[place] = voterNumber;
    });
    seen = highest;
    entityIds = new Map(
      owners.flatMap(({ entityId, place }) => {
        const number = numbers[place] ?? 0;
        return number === 0 ? [] : [[number, entityId]];
      }),
    );
    return entityIds;
  };
}

/** Does `work` in a transaction of its own, whole or not at all, while nobody else writes. */
export type WriteAtOnce = <Result>(work: () => Result) => Result;

/** Numbers of voters while fetches run: looked up in memory, written with the transaction that uses them. */
export type VoterNumbers = ReturnType<typeof createVoterNumbers>;

/** Enough for twenty times all who ever voted anywhere, and few enough for one typed array. */
const VOTERS_MAX = 2 ** 28;

/** Numbers from 1 without gaps; the known ones are read at the first question, not at the opening of the file. */
export function createVoterNumbers(database: Database) {
  let table = createVoterTable(randomInt(2 ** 32));
  /** How many of the table are in the file, and how many of these whatever happens next. */
  let written = 0;
  let settled = 0;
  let isCurrent = false;
  let seenDataVersion: unknown;

  const forget = () => {
    isCurrent = false;
    // What was read or committed stays true; a table cannot give back the rest alone.
    if (table.count() > settled) table = createVoterTable(randomInt(2 ** 32));
    written = table.count();
    settled = written;
  };
  const write = () => {
    if (table.count() > written) putVotersAfter(database, written, table.list());
    written = table.count();
  };
  const settle = () => {
    settled = written;
  };
  const numbers = (): VoterTable => {
    if (isCurrent) return table;
    try {
      eachVoterAfter(database, table.count(), (words, at, isLong, voterNumber) => {
        if (table.intern(words, at, isLong) !== voterNumber - 1) throw notInOrder();
      });
    } catch (error) {
      // Half a table must never be written over the blocks that could not be read.
      forget();
      throw error;
    }
    written = table.count();
    settled = written;
    isCurrent = true;
    return table;
  };
  const demandRoom = () => invariant(table.count() <= VOTERS_MAX, "more voters than a table can number");
  const writeAtOnce: WriteAtOnce = (work) => {
    try {
      const result = database.transaction("immediate", () => {
        const dataVersion = database.pragma("data_version", { simple: true });
        // Another process may have given numbers since this one last wrote: they are read at the next question.
        if (dataVersion !== seenDataVersion) isCurrent = false;
        seenDataVersion = dataVersion;
        const done = work();
        write();
        return done;
      });
      settle();
      return result;
    } catch (error) {
      forget();
      throw error;
    }
  };
  return {
    numberOf(address: string): number {
      const { words, isLong } = addressWords(address);
      const number = numbers().intern(words, 0, isLong) + 1;
      demandRoom();
      return number;
    },
    /** By place in the list. */
    numbersOf({ count, words, isLong }: VoterList): Uint32Array {
      const known = numbers();
      const found = new Uint32Array(count);
      for (let place = 0; place < count; place += 1) {
        found[place] = known.intern(words, place * ADDRESS_WORDS, isLong[place] === 1) + 1;
      }
      demandRoom();
      return found;
    },
    /** The number of an address that has one. Nobody ever takes a number back that was committed. */
    known(address: string): number | undefined {
      if (!isAddress(address)) return undefined;
      const { words, isLong } = addressWords(address);
      const place = numbers().find(words, 0, isLong);
      return place < 0 ? undefined : place + 1;
    },
    /** The largest number given so far; 0 before the first. */
    highest: () => numbers().count(),
    /** The numbers that `work` gives are written with it. */
    writeAtOnce,
    // Of whoever holds a longer transaction: `write` before its commit, `settle` after it, `forget` after a rollback.
    write,
    settle,
    forget,
  };
}
