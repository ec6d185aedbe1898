import { RowError } from "./row-error.ts";

const EVM = /^0x[0-9a-fA-F]{40}$/;
const STARKNET = /^0x[0-9a-fA-F]{64}$/;

/** A voter's or author's address in lower case: 40 hex digits, or the 64 of a Starknet one. Throws `RowError`. */
export function parseAddress(address: string, what: string): string {
  if (EVM.test(address) || STARKNET.test(address)) return address.toLowerCase();
  throw new RowError("ADDRESS_INVALID", `${what} is not 0x and 40 or 64 hex digits`);
}

/** An EVM address in lower case. Throws `RowError`. */
export function parseEvmAddress(address: string, what: string): string {
  if (EVM.test(address)) return address.toLowerCase();
  throw new RowError("ADDRESS_INVALID", `${what} is not 0x and 40 hex digits`);
}
