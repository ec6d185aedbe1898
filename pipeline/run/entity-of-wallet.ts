import type { Registry } from "../facts/tracked.ts";

/** The entity of each labelled wallet (lower case), opted out or not. */
export function entityOfWallet({ entities }: Registry): ReadonlyMap<string, string> {
  return new Map(
    entities.flatMap(({ entityId, wallets }) => wallets.map((wallet) => [wallet, entityId] as const)),
  );
}
