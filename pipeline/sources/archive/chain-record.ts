import { createHash } from "node:crypto";
import { closeSync, readSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { PipelineError } from "../../facts/errors.ts";
import { REVERT_WORDS, type RpcCall, RpcError, type RpcOutcome, rpcOf } from "../governor/rpc.ts";
import { RowError } from "../upstream/row-error.ts";
import { ARCHIVE_LIMITS, ifPresent, openRegular, parseJson } from "./read-document.ts";
import { type BytePlace, readLines } from "./read-lines.ts";

/** Where an answer stands, and where the answer to the same question asked again. */
interface Place extends BytePlace {
  next: Place | undefined;
}

/**
 * Opens a record; `undefined` where there is none. It holds where each answer stands, never the answers. A question that was
 * asked more than once gets its answers in their order, then the last again. Throws `PipelineError` SOURCE_FAILED for
 * a line that is no answer, and later for a question that was never asked.
 */
export async function openChainRecord(directory: string, file: string) {
  const path = join(directory, file);
  const opened = await ifPresent(file, () => openRegular(path));
  if (opened === undefined) return undefined;
  const { descriptor } = opened;
  try {
    const places = await ifPresent(file, () => placesOf(path, file));
    const rpc = rpcOf(async (calls) => {
      const outcomes: RpcOutcome[] = [];
      for (const call of calls) outcomes.push(await answerFrom(descriptor, places ?? new Map(), call, file));
      return outcomes;
    });
    return { rpc, close: () => closeSync(descriptor) };
  } catch (error) {
    closeSync(descriptor);
    throw error;
  }
}

async function placesOf(path: string, file: string): Promise<Map<string, Place>> {
  const places = new Map<string, Place>();
  /** Of questions that were asked more than once, the place of the newest answer. */
  const newest = new Map<string, Place>();
  let answers = 0;
  await readLines(path, ARCHIVE_LIMITS.answerBytesMax, (line) => {
    answers += 1;
    if (answers > ARCHIVE_LIMITS.answersMax) {
      throw failed(`${file} has more than ${ARCHIVE_LIMITS.answersMax} answers`);
    }
    const found = line.text === undefined ? undefined : parsedAnswer(line.text);
    if (found === undefined || line.place === undefined) {
      throw failed(`${file}: line ${line.line} is no recorded answer`);
    }
    const place: Place = { ...line.place, next: undefined };
    const key = questionKey(found.call);
    const before = newest.get(key) ?? places.get(key);
    if (before === undefined) places.set(key, place);
    else {
      before.next = place;
      newest.set(key, place);
    }
  });
  return places;
}

function parsedAnswer(text: string): ReturnType<typeof answerOfLine> {
  try {
    return answerOfLine(parseJson(text));
  } catch (error) {
    if (error instanceof RowError) return undefined;
    throw error;
  }
}

async function answerFrom(
  descriptor: number,
  places: Map<string, Place>,
  call: RpcCall,
  file: string,
): Promise<RpcOutcome> {
  const key = questionKey(call);
  const place = places.get(key);
  if (place === undefined) throw failed(`${file} holds no answer to ${call.method} as it is asked now`);
  if (place.next !== undefined) places.set(key, place.next);
  const bytes = Buffer.alloc(place.count);
  await ifPresent(file, () => readSync(descriptor, bytes, 0, place.count, place.from));
  // A chain is thousands of answers: an interrupt must be heard between them.
  await setImmediate();
  const found = parsedAnswer(bytes.toString("utf8"));
  if (found !== undefined && questionKey(found.call) === key) return found.outcome;
  throw failed(`${file} was changed while it was read`);
}

function failed(message: string): PipelineError {
  return new PipelineError("SOURCE_FAILED", message, {
    hint: "It was made for another entry of the registry or by another version of the program, or was cut off. Record it again.",
  });
}

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

/** One answer of a node as a record keeps it: a line of `chains/<chain_id>/<space_id>.ndjson`. */
const RecordedAnswer = z.union([
  z.strictObject({ method: z.string(), params: z.array(z.unknown()), result: z.json() }),
  z.strictObject({
    method: z.string(),
    params: z.array(z.unknown()),
    error: z.strictObject({ code: z.number(), words: z.string() }),
  }),
]);

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
  const answer = RecordedAnswer.safeParse(value).data;
  if (answer === undefined) return undefined;
  const { method, params } = answer;
  const outcome: RpcOutcome =
    "result" in answer
      ? { kind: "result", result: answer.result }
      : { kind: "refused", error: new RpcError(method, answer.error.code, answer.error.words) };
  return { call: { method, params }, outcome };
}
