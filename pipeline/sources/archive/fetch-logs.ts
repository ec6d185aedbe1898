import type { DelegationEvent, GovernorToken } from "../../facts/delegation.ts";
import { ChainLog } from "../upstream/chain-log.ts";
import { delegationEventOfLog } from "../upstream/delegation-event-of-log.ts";
import { parseShape } from "../upstream/parse-shape.ts";
import { RowError } from "../upstream/row-error.ts";
import { type ArchiveReading, readRows } from "./read-rows.ts";

/** Blocks × logs of a block that still make one exact double together. */
const LOGS_PER_BLOCK_MAX = 2 ** 20;
const BLOCKS_MAX = 2 ** 33;
const BATCH = 10_000;

/** Takes `logs/<chain_id>-<token>.ndjson`; events that move no votes are passed over. Answers whether there is such a file. */
export async function fetchLogs(reading: ArchiveReading, governor: GovernorToken): Promise<boolean> {
  const { token, chainId } = governor;
  const seen = new Set<number>();
  let batch: DelegationEvent[] = [];
  const put = () => {
    if (batch.length > 0) reading.sink.putDelegationEvents(token, batch);
    batch = [];
  };
  const wasThere = await readRows(reading, `logs/${chainId}-${token}.ndjson`, (value) => {
    const event = delegationEventOfLog(parseShape(ChainLog, value), token);
    if (event === undefined) return;
    const { blockNumber, logIndex } = event;
    if (blockNumber >= BLOCKS_MAX || logIndex >= LOGS_PER_BLOCK_MAX) {
      throw new RowError("LOG_MALFORMED", "blockNumber or logIndex is larger than any chain's");
    }
    const key = blockNumber * LOGS_PER_BLOCK_MAX + logIndex;
    if (seen.has(key)) throw new RowError("LOG_DUPLICATE", "an earlier log has the same block and index");
    seen.add(key);
    batch.push(event);
    if (batch.length === BATCH) put();
  });
  put();
  return wasThere;
}
