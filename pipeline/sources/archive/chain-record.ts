import { createHash } from "node:crypto";
import { z } from "zod";
import { REVERT_WORDS, type RpcCall, RpcError, type RpcOutcome } from "../governor/rpc.ts";

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

/** One answer of a node as a record keeps it: a line of `chains/<chain_id>/<space_id>.ndjson`. */
const RecordedAnswer = z.union([
  z.strictObject({ method: z.string(), params: z.array(z.unknown()), result: z.json() }),
  z.strictObject({
    method: z.string(),
    params: z.array(z.unknown()),
    error: z.strictObject({ code: z.number(), words: z.string() }),
  }),
]);
type RecordedAnswer = z.infer<typeof RecordedAnswer>;

/** What the governor's reading makes anything of: a hint at a smaller range, and that the contract itself ended the call. */
const READ_WORDS = new RegExp(
  `\\[\\s*0x[0-9a-f]{1,13}\\s*,\\s*0x[0-9a-f]{1,13}\\s*\\]|${REVERT_WORDS.source}`,
  "gi",
);

/** The file of one DAO's chain within an archive, made of the registry's words alone. */
export function chainRecordFile(chainId: number, spaceId: string): string {
  return `chains/${chainId}/${spaceId}.ndjson`;
}

/** The same for the same question, whoever asks it. */
export function questionKey({ method, params }: RpcCall): string {
  const digest = createHash("sha256").update(JSON.stringify([method, params]));
  return digest.digest("base64url").slice(0, 22);
}

/**
 * The line of one answer. A node's own words may hold its address and key, so that only those of them are kept which
 * the reading knows.
 */
export function lineOfAnswer({ method, params }: RpcCall, outcome: RpcOutcome): string {
  if (outcome.kind === "result") {
    return JSON.stringify({ method, params, result: trimAnswer(method, outcome.result) });
  }
  const { code, detail } = outcome.error;
  const words = (detail.match(READ_WORDS) ?? []).join(" ");
  return JSON.stringify({ method, params, error: { code, words } });
}

/** The question and the answer of a line; `undefined` for a line that is none. */
export function answerOfLine(value: unknown): { call: RpcCall; outcome: RpcOutcome } | undefined {
  const parsed = RecordedAnswer.safeParse(value);
  if (!parsed.success) return undefined;
  const { method, params } = parsed.data;
  return { call: { method, params }, outcome: outcomeOf(parsed.data) };
}

function outcomeOf(answer: RecordedAnswer): RpcOutcome {
  if ("result" in answer) return { kind: "result", result: answer.result };
  const { code, words } = answer.error;
  return { kind: "refused", error: new RpcError(answer.method, code, words) };
}
