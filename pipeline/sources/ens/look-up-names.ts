import type { ContractReader, ReadOutcome } from "./contract-reader.ts";
import { decodeAddress, decodeText } from "./decode-answer.ts";
import { askRegistry, askResolver } from "./ens-contracts.ts";
import { normalName } from "./normal-name.ts";

/** What ENS says of an address; `unknown` where asking failed. */
export type NameLookup =
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
    return resolver === undefined || name === undefined ? undefined : askResolver(resolver, record, name);
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
