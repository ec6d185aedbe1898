import type { GovernorToken } from "../../facts/delegation.ts";
import type { TrackedDao } from "../../facts/tracked.ts";
import { createGovernorSource } from "../governor/index.ts";
import { chainRecordFile } from "./chain-record.ts";
import { createFreshMemory } from "./fresh-memory.ts";
import { openChainRecord } from "./open-chain-record.ts";
import type { ArchiveReading } from "./read-rows.ts";

/**
 * Takes `chains/<chain_id>/<space_id>.ndjson`, what a node once answered, through the very code that asks a node.
 * Answers whether there is such a file.
 */
export async function fetchChain(
  { directory, sink }: ArchiveReading,
  dao: TrackedDao,
  { chainId }: GovernorToken,
): Promise<boolean> {
  const record = await openChainRecord(directory, chainRecordFile(chainId, dao.spaceId));
  if (record === undefined) return false;
  try {
    const source = createGovernorSource({ rpcOf: () => record.rpc });
    await source.fetchSpace(dao, { ...sink, memory: createFreshMemory(sink) });
    return true;
  } finally {
    record.close();
  }
}
