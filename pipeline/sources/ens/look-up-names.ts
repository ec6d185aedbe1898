import { namehash, normalize } from "ox/Ens";
import type { Hex } from "ox/Hex";
import { inBatches } from "../../../snapshots/base/batches.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import type { ContractCall } from "../governor/contract-calls.ts";

/**
 * The outcome of a contract call. `refused` is an answer too: the contract reverted, does not exist, ran out
 * of gas, or returned more than expected. `unknown`: the request failed, so nothing can be concluded.
 */
export type ReadOutcome =
  /** Not empty, and not far longer than any name. */
  | { readonly kind: "answer"; readonly data: Hex }
  | { readonly kind: "refused" }
  | { readonly kind: "unknown" };

/** Calls many contracts of one chain at once; never throws. */
export interface ContractReader {
  /** Returns the outcomes in the order of the calls. */
  read(reads: readonly ContractCall[]): Promise<readonly ReadOutcome[]>;
  /** The node was given up; all further calls return `unknown`. */
  isAway(): boolean;
  /** The first failure, safe to show; `undefined` if there was none. */
  trouble(): string | undefined;
}

/**
 * Addresses per group. Only some addresses have a name, so the later rounds of a larger group fill their
 * requests better. At most one group is lost when a node goes away.
 */
const LOOKED_UP_AT_ONCE = 400;

/**
 * Looks up the names of addresses (in lower case) and passes each result to `keep`, `undefined` if the
 * address has no name. Stops when the node is given up. Returns the counts; `failed` means that the request
 * failed or `keep` threw. Never throws: names are optional, and no score needs them.
 */
export async function keepNames(
  reader: ContractReader,
  addresses: readonly string[],
  keep: (address: string, name: string | undefined) => void,
  tick: (counts: { readonly found: number; readonly without: number; readonly failed: number }) => void,
) {
  const counts = { found: 0, without: 0, failed: 0 };
  let isForgetful = false;
  for (const group of inBatches(addresses, LOOKED_UP_AT_ONCE)) {
    if (reader.isAway()) break;
    // No failure here is worth failing the run.
    const lookups = await lookUpNames(reader.read, group).catch(() => []);
    for (const [index, address] of group.entries()) {
      const lookup = lookups[index] ?? UNKNOWN;
      const name = lookup.kind === "name" ? lookup.name : undefined;
      try {
        if (lookup.kind !== "unknown") keep(address, name);
        counts[lookup.kind === "unknown" ? "failed" : name === undefined ? "without" : "found"] += 1;
      } catch {
        // What could not be stored is looked up again next time.
        counts.failed += 1;
        isForgetful = true;
      }
    }
    tick(counts);
  }
  const trouble = reader.trouble() ?? (isForgetful ? "some names could not be stored" : undefined);
  return { ...counts, trouble };
}

/** The ENS name of an address; `unknown` if the request failed. */
type NameLookup =
  | { readonly kind: "name"; readonly name: string }
  | { readonly kind: "none" }
  | { readonly kind: "unknown" };

type Read = ContractReader["read"];

const NONE: NameLookup = { kind: "none" };
export const UNKNOWN = { kind: "unknown" } as const;

/**
 * Returns the names that addresses claim and that resolve back to them, in order, in four rounds of requests.
 * Wildcard resolvers of a parent name (ENSIP-10) are not queried, as nearly all of them answer through
 * CCIP-Read.
 */
async function lookUpNames(read: Read, addresses: readonly string[]): Promise<readonly NameLookup[]> {
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

/** Function selectors: the first four bytes of each signature's hash. */
const SELECTORS = {
  /** `resolver(bytes32)` of the registry. */
  resolver: "0x0178b8bf",
  /** `name(bytes32)` of a resolver. */
  name: "0x691f3431",
  /** `addr(bytes32)` of a resolver. */
  addr: "0x3b3b57de",
} as const;

/** The call that asks the registry for the resolver of a name. */
export function askRegistry(name: string): ContractCall {
  return ensCall(REGISTRY, "resolver", name);
}

function ensCall(to: Hex, record: keyof typeof SELECTORS, name: string): ContractCall {
  return { to, data: `${SELECTORS[record]}${namehash(name).slice(2)}` };
}

/** The record of each name from its resolver; `refused` if there is no resolver or it refuses. */
async function askForRecords(
  read: Read,
  names: readonly string[],
  record: "name" | "addr",
): Promise<readonly ReadOutcome[]> {
  const resolvers = await read(names.map(askRegistry));
  const questions = resolvers.map((address, index) => {
    const resolver = address.kind === "answer" ? decodeAddress(address.data) : undefined;
    const name = names[index];
    return resolver === undefined || name === undefined ? undefined : ensCall(resolver, record, name);
  });
  const records = (await read(questions.filter((question) => question !== undefined))).values();
  return resolvers.map((resolver, index): ReadOutcome => {
    if (questions[index] !== undefined) return records.next().value ?? UNKNOWN;
    return resolver.kind === "unknown" ? resolver : { kind: "refused" };
  });
}

function claimOf(reverse: ReadOutcome): NameLookup {
  if (reverse.kind !== "answer") return reverse.kind === "unknown" ? reverse : NONE;
  const claimed = decodeText(reverse.data);
  const name = claimed === undefined ? undefined : normalName(claimed);
  return name === undefined ? NONE : { kind: "name", name };
}

function confirmed(
  claim: NameLookup,
  owner: ReadOutcome | undefined,
  address: string | undefined,
): NameLookup {
  if (owner === undefined || owner.kind === "unknown") return UNKNOWN;
  return owner.kind === "answer" && decodeAddress(owner.data) === address ? claim : NONE;
}

/**
 * Returns `name` if it is normalised (ENSIP-15) and may be published unchanged, otherwise `undefined`. A name
 * with another normal form is dropped, not corrected: nobody can register the spelling that the reverse
 * record claims. Emoji joined by zero-width characters fail the second check: published, they would be
 * another name.
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

/** DNS allows 255 bytes for a whole name; nobody can own a longer one. */
const NAME_BYTES_MAX = 255;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The address in a contract's answer, in lower case; `undefined` for the zero address and anything else. */
function decodeAddress(answer: string): `0x${string}` | undefined {
  const word = /^0x0{24}([0-9a-f]{40})$/i.exec(answer)?.[1];
  if (word === undefined) return undefined;
  const address = `0x${word.toLowerCase()}` as const;
  return address === NOBODY ? undefined : address;
}

/** Decodes the single string that a contract returned; `undefined` if it is empty, too long or not UTF-8. */
function decodeText(answer: Hex): string | undefined {
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
