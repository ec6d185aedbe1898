import * as AbiFunction from "ox/AbiFunction";
import { namehash, normalize } from "ox/Ens";
import type { Hex } from "ox/Hex";
import { inBatches } from "../../../snapshots/base/concurrency.ts";
import { upstreamText } from "../../facts/upstream-text.ts";
import { type ContractCall, decodeAnswer } from "../governor/contract-calls.ts";

/**
 * The answer of a contract, not empty and not far longer than any name. `refused` is one too: the contract reverted, does
 * not exist, ran out of gas, or returned more than expected. `unknown`: the request failed, so nothing can be concluded.
 */
export type ReadOutcome = { readonly data: Hex } | "refused" | "unknown";

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
    const lookups = await lookUpNames(reader, group).catch(() => []);
    for (const [index, address] of group.entries()) {
      const { name } = lookups[index] ?? {};
      try {
        if (lookups[index] !== undefined) keep(address, name);
        counts[lookups[index] === undefined ? "failed" : name === undefined ? "without" : "found"] += 1;
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

/** The ENS name of an address, if it has one; `undefined` if the request failed. */
type NameLookup = { readonly name?: string } | undefined;

/**
 * Returns the names that addresses claim and that resolve back to them, in order, in four rounds of requests.
 * Wildcard resolvers of a parent name (ENSIP-10) are not queried, as nearly all of them answer through
 * CCIP-Read.
 */
async function lookUpNames(
  reader: ContractReader,
  addresses: readonly string[],
): Promise<readonly NameLookup[]> {
  const reverseNames = addresses.map((address) => `${address.slice(2)}.addr.reverse`);
  const claims = (await askForRecords(reader, reverseNames, "name")).map(claimOf);
  const names = claims.flatMap((claim) => claim?.name ?? []);
  const owners = (await askForRecords(reader, names, "addr")).values();
  return claims.map((claim, index) => {
    if (claim?.name === undefined) return claim;
    const owner = owners.next().value ?? "unknown";
    if (owner === "unknown") return undefined;
    return decodeAddress(owner) === addresses[index] ? claim : {};
  });
}

/** The ENS registry, at this address on Ethereum's mainnet and its test networks. */
const REGISTRY: Hex = "0x00000000000c2e074ec69a0dfb2997ba6c7d2e1e";

/** A string is encoded as bytes are; decoded as bytes, it can be checked. */
const FUNCTIONS = {
  resolver: AbiFunction.from("function resolver(bytes32) view returns (address)"),
  name: AbiFunction.from("function name(bytes32) view returns (bytes)"),
  addr: AbiFunction.from("function addr(bytes32) view returns (address)"),
} as const;

export function askRegistry(name: string): ContractCall {
  return ensCall(REGISTRY, "resolver", name);
}

function ensCall(to: Hex, record: keyof typeof FUNCTIONS, name: string): ContractCall {
  return { to, data: AbiFunction.encodeData(FUNCTIONS[record], [namehash(name)]) };
}

/** The record of each name from its resolver; `refused` if there is no resolver or it refuses. */
async function askForRecords(
  reader: ContractReader,
  names: readonly string[],
  record: "name" | "addr",
): Promise<readonly ReadOutcome[]> {
  const answers = await reader.read(names.map(askRegistry));
  const resolvers = answers.map(decodeAddress);
  const calls = names.flatMap((name, index) => {
    const resolver = resolvers[index];
    return resolver === undefined ? [] : [ensCall(resolver, record, name)];
  });
  const records = (await reader.read(calls)).values();
  return answers.map((answer, index) => {
    if (resolvers[index] !== undefined) return records.next().value ?? "unknown";
    return answer === "unknown" ? answer : "refused";
  });
}

function claimOf(reverse: ReadOutcome): NameLookup {
  if (reverse === "unknown") return undefined;
  const name = reverse === "refused" ? undefined : decodeText(reverse.data);
  return name !== undefined && isNormal(name) ? { name } : {};
}

/**
 * Whether a name is normalised (ENSIP-15) and may be published unchanged. A name with another normal form is dropped, not
 * corrected: nobody can register the spelling that the reverse record claims. Emoji joined by zero-width characters fail
 * the second check: published, they would be another name.
 */
function isNormal(name: string): boolean {
  try {
    return name !== "" && normalize(name) === name && upstreamText(name) === name;
  } catch {
    return false;
  }
}

const NOBODY = `0x${"0".repeat(40)}`;

/** DNS allows 255 bytes for a whole name; nobody can own a longer one. */
const NAME_BYTES_MAX = 255;

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The address in a contract's answer, in lower case; `undefined` for the zero address and anything else. */
function decodeAddress(answer: ReadOutcome): Hex | undefined {
  const word = typeof answer === "object" ? /^0x0{24}([0-9a-f]{40})$/i.exec(answer.data)?.[1] : undefined;
  const address = `0x${word?.toLowerCase()}` as const;
  return word === undefined || address === NOBODY ? undefined : address;
}

function decodeText(answer: Hex): string | undefined {
  const encoded = decodeAnswer(FUNCTIONS.name, answer) ?? "0x";
  const bytes = Buffer.from(encoded.slice(2), "hex");
  if (bytes.length === 0 || bytes.length > NAME_BYTES_MAX) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
