const SHORT_STARKNET = /^0x[0-9a-fA-F]{41,63}$/;
const ADDRESS = /^0x(?:[0-9a-f]{40}|[0-9a-f]{64})$/;

/** A Starknet address may be written without its leading zeros; padded, each has one spelling. */
export function paddedAddress(address: string): string {
  return SHORT_STARKNET.test(address) ? `0x${address.slice(2).padStart(64, "0")}` : address;
}

/** The voters of rows in the spelling in which they get their numbers; what is no address is left to be refused. */
export function votersOf(rows: readonly unknown[]): readonly string[] {
  const voters = new Set<string>();
  for (const row of rows) {
    const voter = typeof row === "object" && row !== null && "voter" in row ? row.voter : undefined;
    const address = typeof voter === "string" ? paddedAddress(voter).toLowerCase() : "";
    if (ADDRESS.test(address)) voters.add(address);
  }
  return [...voters];
}
