import type { Database } from "better-sqlite3";
import type { TrackedEntity } from "../../facts/tracked.ts";
import { maybeAddressBytes } from "../address-bytes.ts";

/** The entities' wallets that ever voted, as interned numbers with the entity's id. */
export function readEntityVoters(
  database: Database,
): (entities: readonly TrackedEntity[]) => ReadonlyMap<number, string> {
  const select = database.prepare<[Buffer], { voterNumber: number }>(
    "SELECT voter_number AS voterNumber FROM voters WHERE address = ?",
  );
  return (entities) => {
    const entityIds = new Map<number, string>();
    for (const { entityId, wallets } of entities) {
      for (const wallet of wallets) {
        const address = maybeAddressBytes(wallet);
        const row = address === undefined ? undefined : select.get(address);
        if (row !== undefined) entityIds.set(row.voterNumber, entityId);
      }
    }
    return entityIds;
  };
}
