import { randomInt } from "node:crypto";
import type { Database } from "better-sqlite3";
import type { TrackedEntity } from "../../facts/tracked.ts";
import { createVoterBook } from "../../facts/voter-book.ts";
import { maybeAddressWords } from "../address-bytes.ts";
import { voterBlocks } from "./voter-blocks.ts";

/** The wallets of one registry, and what is known of their numbers so far. */
interface Lookup {
  readonly entities: readonly TrackedEntity[];
  /** Goes through the voters that came since; whole or not at all. */
  catchUp(): ReadonlyMap<number, string>;
}

/**
 * The entities' wallets that ever voted, as interned numbers with the entity's id. Every DAO of a run asks for those of
 * the same registry, and a number once given stays: all voters are gone through once, and later the new ones alone.
 */
export function readEntityVoters(
  database: Database,
): (entities: readonly TrackedEntity[]) => ReadonlyMap<number, string> {
  const blocks = voterBlocks(database);
  let lookup: Lookup | undefined;

  const lookupOf = (entities: readonly TrackedEntity[]): Lookup => {
    const wallets = createVoterBook(randomInt(2 ** 32));
    const owners: { readonly entityId: string; readonly place: number }[] = [];
    for (const { entityId, wallets: texts } of entities) {
      for (const text of texts) {
        const wallet = maybeAddressWords(text);
        if (wallet === undefined) continue;
        owners.push({ entityId, place: wallets.placeOf(wallet.words, 0, wallet.isLong) });
      }
    }
    const numbers = new Uint32Array(wallets.count());
    let seen = 0;
    let entityIds: ReadonlyMap<number, string> = new Map();
    const catchUp = () => {
      const highest = blocks.highest();
      if (highest === seen || numbers.length === 0) return entityIds;
      blocks.eachAfter(seen, (words, at, isLong, voterNumber) => {
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
    return { entities, catchUp };
  };

  return (entities) => {
    if (lookup?.entities !== entities) lookup = lookupOf(entities);
    return lookup.catchUp();
  };
}
