/** What is read of the objects that a node answers with; a block's transactions alone are a hundred times that. */
const BLOCK_FIELDS = ["number", "hash", "timestamp"];
const LOG_FIELDS = [
  "address",
  "topics",
  "data",
  "blockNumber",
  "blockHash",
  "logIndex",
  "blockTimestamp",
  "removed",
];

const HEX = /^0x[0-9a-fA-F]*$/;

/** A node's answer without what nobody reads; `null` for an answer of another form, which is as good as none. */
export function trimAnswer(method: string, result: unknown): unknown {
  switch (method) {
    case "eth_getLogs":
      return Array.isArray(result) ? result.map((log) => picked(log, LOG_FIELDS)) : null;
    case "eth_getBlockByNumber":
      return picked(result, BLOCK_FIELDS);
    default:
      return typeof result === "string" && HEX.test(result) ? result : null;
  }
}

function picked(value: unknown, fields: readonly string[]): unknown {
  if (typeof value !== "object" || value === null) return null;
  const entries = new Map(Object.entries(value));
  return Object.fromEntries(
    fields.flatMap((field) => (entries.has(field) ? [[field, entries.get(field)]] : [])),
  );
}
