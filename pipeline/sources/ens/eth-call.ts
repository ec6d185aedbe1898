/** `0x` and hex digits. */
export type Hex = `0x${string}`;

/**
 * One `eth_call` against the latest block. A call that the contract refused rejects with an error that carries the
 * revert's `data` (hex, `0x` where it had none); any other rejection is a passing fault.
 */
export type EthCall = (to: Hex, data: Hex) => Promise<Hex>;

/**
 * Whether a contract refused a call, which is an answer, and not the way to it. An `OffchainLookup` (CCIP-Read) is such
 * a refusal too and is never followed: it would have us fetch an address that an attacker chose.
 */
export function isRevert(error: unknown): boolean {
  return (
    error instanceof Error &&
    "data" in error &&
    typeof error.data === "string" &&
    /^0x[0-9a-f]*$/i.test(error.data)
  );
}
