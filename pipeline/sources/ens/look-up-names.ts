import { namehash, normalize } from "ox/Ens";
import type { Hex } from "ox/Hex";
import { upstreamText } from "../../facts/upstream-text.ts";
import type { ContractCall } from "../governor/contract-calls.ts";

/**
 * What came of a question. `refused`: the contract reverted, is none, used up its gas, or said more than anybody asked;
 * that is an answer. `unknown`: the way to it failed, and nothing may be concluded.
 */
export type ReadOutcome =
  | { readonly kind: "answer"; readonly data: Hex }
  | { readonly kind: "refused" }
  | { readonly kind: "unknown" };

/** Asks contracts of one chain, many at a time; never throws. */
export interface ContractReader {
  /** The outcomes in the order of the questions. */
  read(reads: readonly ContractCall[]): Promise<readonly ReadOutcome[]>;
  /** The node has been given up; whatever is asked from now on is `unknown`. */
  isAway(): boolean;
  /** What went wrong first, fit to be shown; `undefined` where nothing did. */
  trouble(): string | undefined;
}

/**
 * Addresses that are looked up together. Fewer have a name than are asked about, so that the later rounds of a larger
 * group fill their requests better; what is lost when a node goes away in the middle is no more than this.
 */
const LOOKED_UP_AT_ONCE = 400;

/**
 * Looks up addresses (in lower case) and has `keep` remember what each is called, or that it has no name; gives up with the
 * node. Counts what came of it, `failed` where asking did not get through or `keep` threw. Never throws, for a name is a
 * courtesy and no fact that a score needs.
 */
export async function keepNames(
  reader: ContractReader,
  addresses: readonly string[],
  keep: (address: string, name: string | undefined) => void,
  tick: (counts: { readonly found: number; readonly without: number; readonly failed: number }) => void,
) {
  const counts = { found: 0, without: 0, failed: 0 };
  let isForgetful = false;
  for (let from = 0; from < addresses.length && !reader.isAway(); from += LOOKED_UP_AT_ONCE) {
    const group = addresses.slice(from, from + LOOKED_UP_AT_ONCE);
    // Whatever went wrong, a name is not worth a run.
    const lookups = await lookUpNames(reader.read, group).catch(() => []);
    for (const [index, address] of group.entries()) {
      const lookup = lookups[index] ?? UNKNOWN;
      const name = lookup.kind === "name" ? lookup.name : undefined;
      try {
        if (lookup.kind !== "unknown") keep(address, name);
        counts[lookup.kind === "unknown" ? "failed" : name === undefined ? "without" : "found"] += 1;
      } catch {
        // What could not be kept is asked again next time.
        counts.failed += 1;
        isForgetful = true;
      }
    }
    tick(counts);
  }
  const trouble = reader.trouble() ?? (isForgetful ? "what was found out could not be kept" : undefined);
  return { ...counts, trouble };
}

/** What ENS says of an address; `unknown` where asking failed. */
type NameLookup =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "none" }
  | { readonly kind: "unknown" };

type Read = ContractReader["read"];

const NONE: NameLookup = { kind: "none" };
const UNKNOWN = { kind: "unknown" } as const;

/**
 * The names that addresses claim and that lead back to them, in their order; asked in four rounds for all of them. A
 * name must have a resolver of its own: a parent's wildcard (ENSIP-10) is not asked, as nearly all of them answer by
 * CCIP-Read.
 */
export async function lookUpNames(read: Read, addresses: readonly string[]): Promise<readonly NameLookup[]> {
  const reverseNames = addresses.map((address) => `${address.slice(2)}.addr.reverse`);
  const claims = (await askForRecords(read, reverseNames, "name")).map(claimOf);
  const names = claims.flatMap((claim) => (claim.kind === "name" ? [claim.name] : []));
  const owners = (await askForRecords(read, names, "addr")).values();
  return claims.map((claim, index) =>
    claim.kind === "name" ? confirmed(claim, owners.next().value, addresses[index]) : claim,
  );
}

/** The ENS registry, at this address on Ethereum's mainnet and its test networks. */
const REGISTRY: Hex = "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e";

/** First four bytes of the hash of each function's signature. */
const SELECTORS = {
  /** `resolver(bytes32)` of the registry. */
  resolver: "0x0178b8bf",
  /** `name(bytes32)` of a resolver. */
  name: "0x691f3431",
  /** `addr(bytes32)` of a resolver. */
  addr: "0x3b3b57de",
} as const;

/** Asks the registry for the resolver of a name. */
export function askRegistry(name: string): ContractCall {
  return ensCall(REGISTRY, "resolver", name);
}

function ensCall(to: Hex, record: keyof typeof SELECTORS, name: string): ContractCall {
  return { to, data: `${SELECTORS[record]}${namehash(name).slice(2)}` };
}

/** What the resolver of each name says; nothing where the registry knows none or the resolver refuses. */
async function askForRecords(
  read: Read,
  names: readonly string[],
  record: "name" | "addr",
): Promise<readonly ReadOutcome[]> {
  const said = await read(names.map(askRegistry));
  const questions = said.map((one, index) => {
    const resolver = one.kind === "answer" ? decodeAddress(one.data) : undefined;
    const name = names[index];
    return resolver === undefined || name === undefined ? undefined : ensCall(resolver, record, name);
  });
  const records = (await read(questions.filter((question) => question !== undefined))).values();
  return said.map((one, index): ReadOutcome => {
    if (questions[index] !== undefined) return records.next().value ?? UNKNOWN;
    return one.kind === "unknown" ? one : { kind: "refused" };
  });
}

function claimOf(said: ReadOutcome): NameLookup {
  if (said.kind !== "answer") return said.kind === "unknown" ? said : NONE;
  const claimed = decodeText(said.data);
  const name = claimed === undefined ? undefined : normalName(claimed);
  return name === undefined ? NONE : { kind: "name", name };
}

function confirmed(
  claim: NameLookup,
  said: ReadOutcome | undefined,
  address: string | undefined,
): NameLookup {
  if (said === undefined || said.kind === "unknown") return UNKNOWN;
  return said.kind === "answer" && decodeAddress(said.data) === address ? claim : NONE;
}

/**
 * `name` where it is spelled as ENSIP-15 has it and may be published as it is; `undefined` otherwise. A name that
 * normalises to another one is dropped and not corrected: the reverse record claims a spelling nobody can register.
 * Emoji joined by zero-width characters fall to the second rule: published, they would be another name.
 */
function normalName(name: string): string | undefined {
  try {
    if (name === "" || normalize(name) !== name) return undefined;
  } catch {
    return undefined;
  }
  return upstreamText(name) === name ? name : undefined;
}

const NOBODY = `0x${"0".repeat(40)}`;

/** DNS allows 255 bytes for a whole name; what is longer is nobody's name. */
const NAME_BYTES_MAX = 255;

/** An answer may be padded, but a contract that fills memory is not listened to. */
const ANSWER_BYTES_MAX = 4096;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The address in a contract's answer, in lower case; `undefined` for the zero address and for anything else. */
function decodeAddress(answer: string): `0x${string}` | undefined {
  const word = /^0x0{24}([0-9a-f]{40})$/i.exec(answer)?.[1];
  if (word === undefined) return undefined;
  const address = `0x${word.toLowerCase()}` as const;
  return address === NOBODY ? undefined : address;
}

/** The text in a contract's answer, as Solidity returns one string; `undefined` where it is empty, too long or no UTF-8. */
export function decodeText(answer: string): string | undefined {
  if (answer.length > 2 + 2 * ANSWER_BYTES_MAX || !/^0x(?:[0-9a-f]{2})*$/i.test(answer)) return undefined;
  const bytes = Buffer.from(answer.slice(2), "hex");
  if (bytes.length < 64 || wordAt(bytes, 0) !== 32n) return undefined;
  const length = wordAt(bytes, 32);
  if (length === 0n || length > NAME_BYTES_MAX || 64n + length > bytes.length) return undefined;
  try {
    return utf8.decode(bytes.subarray(64, 64 + Number(length)));
  } catch {
    return undefined;
  }
}

function wordAt(bytes: Buffer, offset: number): bigint {
  return BigInt(`0x${bytes.toString("hex", offset, offset + 32)}`);
}
