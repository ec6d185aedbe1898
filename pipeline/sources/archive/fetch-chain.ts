import { closeSync, readSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { DelegationEvent, GovernorToken } from "../../facts/delegation.ts";
import { invariant, PipelineError } from "../../facts/errors.ts";
import type {
  DelegationMemory,
  FetchMemory,
  IndexedBlock,
  SpaceSink,
} from "../../facts/governance-source.ts";
import type { TrackedDao } from "../../facts/tracked.ts";
import { createGovernorSource } from "../governor/governor-source.ts";
import type { Rpc, RpcCall, RpcOutcome } from "../governor/rpc.ts";
import { RowError } from "../upstream/row-error.ts";
import { answerOfLine, chainRecordFile, questionKey } from "./chain-record.ts";
import { ARCHIVE_LIMITS, ifPresent, openRegular, parseJson } from "./read-document.ts";
import { type BytePlace, readLines } from "./read-lines.ts";
import type { ArchiveReading } from "./read-rows.ts";

/**
 * The sink of a fetch that begins anew and is never gone on with: nothing is held before, and events that are to be kept
 * are put like any others.
 */
export function createFreshSink(sink: SpaceSink): SpaceSink & { readonly memory: FetchMemory } {
  const delegations = new Map<string, FreshDelegation>();
  const delegationOf = (token: string): FreshDelegation => {
    const delegation = delegations.get(token) ?? createFreshDelegation();
    delegations.set(token, delegation);
    return delegation;
  };
  const memory: FetchMemory = {
    heldProposals: () => [],
    keepProposal: () => invariant(false, "nothing is held that could be kept"),
    keepVotes: () => invariant(false, "nothing is held that could be kept"),
    note: () => undefined,
    putNote: () => undefined,
    checkpoint({ voters }) {
      // Voters get the numbers that they got when the same pages came from a node.
      for (const voter of voters) sink.internVoter(voter);
    },
    resumedPage: () => undefined,
    forgetPages: () => undefined,
    delegationOf,
  };
  return {
    ...sink,
    memory,
    put(record) {
      if (record.kind !== "delegation-events" || record.through === undefined) return sink.put(record);
      const { through, ...events } = record;
      delegationOf(events.token).add(events.events, through);
      sink.put(events);
    },
  };
}

interface FreshDelegation extends DelegationMemory {
  add(events: readonly DelegationEvent[], through: IndexedBlock): void;
}

function createFreshDelegation(): FreshDelegation {
  // Side by side, and each address once: of a large token there are millions.
  const blocks: number[] = [];
  const delegates: string[] = [];
  const powers: bigint[] = [];
  const addresses = new Map<string, string>();
  const blocksThrough: IndexedBlock[] = [];
  return {
    heldThrough: () => [...blocksThrough].reverse(),
    add(events, through) {
      for (const event of events) {
        if (event.kind !== "votes-changed") continue;
        const delegate = addresses.get(event.delegate) ?? event.delegate;
        addresses.set(delegate, delegate);
        blocks.push(event.blockNumber);
        delegates.push(delegate);
        powers.push(event.after);
      }
      blocksThrough.push(through);
    },
    rewind: () => invariant(blocksThrough.length === 0, "what went to the sink cannot be taken back"),
    powersAt(blockNumber) {
      const found = new Map<string, bigint>();
      for (const [place, delegate] of delegates.entries()) {
        const power = powers[place];
        if (power !== undefined && (blocks[place] ?? Infinity) <= blockNumber) found.set(delegate, power);
      }
      return found;
    },
  };
}

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
    await source.fetchSpace(dao, createFreshSink(sink));
    return true;
  } finally {
    record.close();
  }
}
