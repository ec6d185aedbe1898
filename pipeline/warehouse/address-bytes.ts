import { invariant } from "../base/invariant.ts";

const LOWER_CASE_ADDRESS = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** An address as bytes: 20 of an EVM one, 32 of a Starknet one. Throws on any other spelling: two spellings would be two voters. */
export function addressBytes(address: string): Buffer {
  const bytes = maybeAddressBytes(address);
  invariant(bytes !== undefined, "an address is not 0x and 40 or 64 lower-case hex digits");
  return bytes;
}

/** As `addressBytes`, but `undefined` for what is no such address. */
export function maybeAddressBytes(address: string): Buffer | undefined {
  return LOWER_CASE_ADDRESS.test(address) ? Buffer.from(address.slice(2), "hex") : undefined;
}

/** Back from `addressBytes`. */
export function addressOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("hex")}`;
}
