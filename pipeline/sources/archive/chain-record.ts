import { createHash } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { sourceFailed } from "../../facts/errors.ts";
import { NodeBlock } from "../governor/blocks.ts";
import { NodeLogShape } from "../governor/read-logs.ts";
import { REVERT_TEXT, type RpcCall, type RpcOutcome, rpcOf, rpcRefusal } from "../governor/rpc.ts";
import { isRowFailure } from "../upstream/row-error.ts";
import { ARCHIVE_LIMITS, ifPresent, openRegular, parseJson } from "./read-document.ts";
import { type ByteRange, readLines } from "./read-lines.ts";

/**
 * Opens a record; returns `undefined` if the file is missing. It holds the position of each answer, not the
 * answers. A question that was asked several times gets its answers in order, then the last one repeatedly.
 * Throws `SOURCE_FAILED` for a line that is not an answer, and later for a question without an
 * answer.
 */
export async function openChainRecord(directory: string, file: string) {
  const opened = await ifPresent(file, () => openRegular(directory, file));
  if (opened === undefined) return undefined;
  const { descriptor } = opened;
  try {
    const ranges = (await ifPresent(file, () => rangesOf(directory, file))) ?? new Map();
    const rpc = rpcOf(async (calls) => {
      const outcomes: RpcOutcome[] = [];
      for (const call of calls) outcomes.push(await answerFrom(descriptor, ranges, call, file));
      return outcomes;
    });
    return { rpc, close: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

async function rangesOf(directory: string, file: string): Promise<Map<string, ByteRange[]>> {
  const ranges = new Map<string, ByteRange[]>();
  let answers = 0;
  await readLines(directory, file, ARCHIVE_LIMITS.answerBytesMax, (line) => {
    answers += 1;
    if (answers > ARCHIVE_LIMITS.answersMax) {
      throw failed(`${file} has more than ${ARCHIVE_LIMITS.answersMax} answers`);
    }
    const answer = line.text === undefined ? undefined : parsedAnswer(line.text);
    if (answer === undefined || line.range === undefined) {
      throw failed(`${file}: line ${line.line} is not a recorded answer`);
    }
    const key = questionKey(answer.call);
    const known = ranges.get(key) ?? [];
    known.push(line.range);
    ranges.set(key, known);
  });
  return ranges;
}

/** The question and the answer of a line; `undefined` if it is none. */
function parsedAnswer(text: string): { call: RpcCall; outcome: RpcOutcome } | undefined {
  try {
    const answer = RecordedAnswer.safeParse(parseJson(text)).data;
    if (answer === undefined) return undefined;
    const { method, params } = answer;
    const outcome: RpcOutcome =
      "result" in answer
        ? { kind: "result", result: answer.result }
        : { kind: "refused", error: rpcRefusal(method, answer.error.code, answer.error.words) };
    return { call: { method, params }, outcome };
  } catch (error) {
    if (isRowFailure(error)) return undefined;
    throw error;
  }
}

async function answerFrom(
  descriptor: number,
  ranges: Map<string, ByteRange[]>,
  call: RpcCall,
  file: string,
): Promise<RpcOutcome> {
  const key = questionKey(call);
  const left = ranges.get(key) ?? [];
  const range = left.length > 1 ? left.shift() : left[0];
  if (range === undefined)
    throw failed(`${file} holds no answer to ${call.method} with the parameters of today`);
  const bytes = Buffer.alloc(range.count);
  await ifPresent(file, () => readSync(descriptor, bytes, 0, range.count, range.from));
  // A chain has thousands of answers: yield between them so that an interrupt is noticed.
  await setImmediate();
  const answer = parsedAnswer(bytes.toString("utf8"));
  if (answer !== undefined && questionKey(answer.call) === key) return answer.outcome;
  throw failed(`${file} changed while it was being read`);
}

function failed(message: string): Error {
  return sourceFailed(message, {
    hint: "It was recorded for another registry entry or by another version of the program, or it was cut off. Record it again.",
  });
}

/** The fields that are read of a node's objects; a block's transactions alone are a hundred times as large. */
const BLOCK_FIELDS = Object.keys(NodeBlock.shape);
const LOG_FIELDS = Object.keys(NodeLogShape.shape);

const HEX = /^0x[0-9a-fA-F]*$/;

/** A node's answer without fields that are never read; `null`, which counts as none, for another form. */
function trimAnswer(method: string, result: unknown): unknown {
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

const Question = { method: z.string(), params: z.array(z.unknown()) };
const RecordedAnswer = z.union([
  z.strictObject({ ...Question, result: z.json() }),
  z.strictObject({ ...Question, error: z.strictObject({ code: z.number(), words: z.string() }) }),
]);

/** Path of a DAO's recorded chain within an archive, built from the registry's ids only. */
export function chainRecordFile(chainId: number, spaceId: string): string {
  return `chains/${chainId}/${spaceId}.ndjson`;
}

function questionKey({ method, params }: RpcCall): string {
  const digest = createHash("sha256").update(JSON.stringify([method, params]));
  return digest.digest("base64url").slice(0, 22);
}

/** The line of one answer. A node's error may contain its URL and key: only what the governor source reads is kept. */
export function lineOfAnswer({ method, params }: RpcCall, outcome: RpcOutcome): string {
  if (outcome.kind === "result") {
    return JSON.stringify({ method, params, result: trimAnswer(method, outcome.result) });
  }
  const { code, detail } = outcome.error.data;
  const words = (detail.match(REVERT_TEXT) ?? []).join(" ");
  return JSON.stringify({ method, params, error: { code, words } });
}
