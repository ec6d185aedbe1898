import type { Database } from "better-sqlite3";
import { invariant } from "../base/invariant.ts";
import { addressAt, type VoterList } from "../facts/voter-list.ts";
import { addressBytes, addressOf } from "./address-bytes.ts";
import { corrupt } from "./corrupt.ts";

/** Numbers of voters while a fetch runs: looked up in memory, written as they are given. */
export interface VoterNumbers {
  numberOf(address: string): number;
  /** By place in the list. */
  numbersOf(voters: VoterList): Uint32Array;
  /** The number of an address that has one. Nobody ever takes a number back that was committed. */
  known(address: string): number | undefined;
  /** The largest number given so far; 0 before the first. */
  highest(): number;
  /** What is in memory no longer holds (a rollback, another process): it is read again at the next question. */
  forget(): void;
}

/** Numbers from 1 without gaps; the known ones are read at the first question, not at the opening of the file. */
export function createVoterNumbers(database: Database): VoterNumbers {
  const insert = database.prepare<[Buffer, number]>(
    "INSERT INTO voters (address, voter_number) VALUES (?, ?)",
  );
  let known: Map<string, number> | undefined;

  const numbers = () => {
    known ??= readVoters(database);
    return known;
  };
  const numberOf = (address: string): number => {
    const found = numbers().get(address);
    if (found !== undefined) return found;
    const number = numbers().size + 1;
    invariant(number <= 0xffff_ffff, "more voters than a ballot's column can number");
    insert.run(addressBytes(address), number);
    numbers().set(address, number);
    return number;
  };
  return {
    numberOf,
    numbersOf: (voters) =>
      Uint32Array.from({ length: voters.count }, (_, place) => numberOf(addressAt(voters, place))),
    known: (address) => numbers().get(address),
    highest: () => numbers().size,
    forget() {
      known = undefined;
    },
  };
}

function readVoters(database: Database): Map<string, number> {
  const rows = database.prepare<[], { address: Buffer; voterNumber: number }>(
    "SELECT address, voter_number AS voterNumber FROM voters",
  );
  const numbers = new Map<string, number>();
  let highest = 0;
  for (const { address, voterNumber } of rows.iterate()) {
    numbers.set(addressOf(address), voterNumber);
    highest = Math.max(highest, voterNumber);
  }
  if (highest !== numbers.size) throw corrupt("its voters are not numbered from 1 to their count");
  return numbers;
}
