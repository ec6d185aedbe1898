import { closeSync, readSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { PipelineError } from "../../base/pipeline-error.ts";
import type { Rpc, RpcCall, RpcOutcome } from "../governor/rpc.ts";
import { RowError } from "../upstream/row-error.ts";
import { answerOfLine, questionKey } from "./chain-record.ts";
import { ifPresent, openRegular } from "./disk-errors.ts";
import { ARCHIVE_LIMITS } from "./limits.ts";
import { parseJson } from "./parse-json.ts";
import { type BytePlace, readLines } from "./read-lines.ts";

/** A record of what a node answered, to be asked like the node. */
export interface ChainRecord {
  readonly rpc: Rpc;
  close(): void;
}

/** Where an answer stands, and where the answer to the same question asked again. */
interface Place extends BytePlace {
  next: Place | undefined;
}

/**
 * Opens a record; `undefined` where there is none. It holds where each answer stands, never the answers. A question that was
 * asked more than once gets its answers in their order, then the last again. Throws `PipelineError` SOURCE_FAILED for
 * a line that is no answer, and later for a question that was never asked.
 */
export async function openChainRecord(directory: string, file: string): Promise<ChainRecord | undefined> {
  const path = join(directory, file);
  const opened = await ifPresent(file, () => openRegular(path));
  if (opened === undefined) return undefined;
  const { descriptor } = opened;
  try {
    const places = await ifPresent(file, () => placesOf(path, file));
    const answer = (call: RpcCall) => answerFrom(descriptor, places ?? new Map(), call, file);
    const callMany = async (calls: readonly RpcCall[]): Promise<RpcOutcome[]> => {
      const outcomes: RpcOutcome[] = [];
      for (const call of calls) outcomes.push(await answer(call));
      return outcomes;
    };
    const call = async (method: string, params: readonly unknown[]): Promise<unknown> => {
      const outcome = await answer({ method, params });
      if (outcome.kind === "refused") throw outcome.error;
      return outcome.result;
    };
    return { rpc: { call, callMany }, close: () => closeSync(descriptor) };
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
