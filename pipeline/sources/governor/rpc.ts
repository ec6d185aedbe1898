import { z } from "zod";
import { inBatches } from "../../../snapshots/base/concurrency.ts";
import { Failure, isFailure } from "../../../snapshots/base/failure.ts";
import { invariant, sourceFailed } from "../../facts/errors.ts";
import type { JsonAnswer } from "../http/exchange.ts";
import type { HttpClient } from "../http/http-client.ts";

interface RefusedCall {
  /** The JSON-RPC code, or 413 for HTTP status 413 and for a missing answer. */
  readonly code: number;
  /** The node's text, for finding hints; never shown, since it may contain anything, even an access key. */
  readonly detail: string;
}

export type RpcRefusal = Failure<"RPC_REFUSED"> & { readonly data: RefusedCall };

export function rpcRefusal(method: string, code: number, detail: string): RpcRefusal {
  const message = `the node refused ${method} with code ${code}`;
  return new Failure("RPC_REFUSED", message, { data: { code, detail } }) as RpcRefusal;
}

export const isRpcRefusal = (error: unknown): error is RpcRefusal => isFailure(error, ["RPC_REFUSED"]);

/** Geth's code for a revert. */
const REVERTED = 3;

/** The spellings of Erigon, Besu, Nethermind and OpenEthereum for a revert. */
export const REVERT_TEXT =
  /revert|invalid ?\w*(?:opcode|jump)|out ?of ?gas|vm execution|bad instruction|stack ?(?:under|over)flow/i;

/** Whether the contract itself ended the call, which counts as an answer. */
export function isRevert({ code, detail }: RefusedCall): boolean {
  return code === REVERTED || REVERT_TEXT.test(detail);
}

/** Every loop over outside data has a limit; reaching it is an error. */
export const GOVERNOR_LIMITS = {
  /** Blocks per request at the start: the most that large public providers accept without a key. */
  rangeBlocksStart: 10_000,
  /** The largest range; own nodes accept more, but that is no faster. */
  rangeBlocksMax: 100_000,
  /** For one contract in one fetch: the whole of Ethereum in ranges of 250 blocks. */
  rangesMax: 100_000,
  /** Logs per answer; providers stop at 10,000 or 20,000. */
  logsPerAnswerMax: 200_000,
  /** Delegation events per stored step: a second of writing and some tens of requests. */
  eventsPerStep: 10_000,
  /** Governor logs per stored step: reasons and descriptions are long. */
  governorLogsPerStep: 2_000,
  /** Ranges per stored step, even with few logs: a minute without a key. */
  rangesPerStep: 50,
  /** Chosen so that block × logs + index is an exact double, by which the archive knows a log. */
  logsPerBlockMax: 2 ** 20,
  blocksMax: 2 ** 33,
  /** Calls per JSON-RPC batch; the smallest limit of a large provider is 100. */
  batchMax: 100,
  /** Calls per `aggregate3`: 100 look-ups of a checkpoint stay far below a node's gas limit. */
  callsPerAggregateMax: 100,
  /** More steps than a binary search over 2^33 blocks takes. */
  searchStepsMax: 40,
  /** Accounts whose rebuilt power is compared with the contract's own. */
  reconciledAccounts: 50,
  proposalsMax: 100_000,
  /** Voters × proposals of one governor; 200 bytes each. */
  voteRowsMax: 1_000_000,
  /** Malformed logs tolerated in the few new ones of a contract whose earlier logs were valid. */
  malformedTolerated: 10,
} as const;

const QUANTITY = /^0x[0-9a-fA-F]{1,14}$/;

export function hexQuantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** Parses a quantity from a node; throws `SOURCE_FAILED` if it is invalid. */
export function parseQuantity(hex: unknown, what: string): number {
  const value = typeof hex === "string" && QUANTITY.test(hex) ? Number(hex) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw sourceFailed(`the node's ${what} is not a 0x quantity`);
}

export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

interface CallOptions {
  /** A timeout and similar faults become a refusal with code 413: the caller can request less. */
  readonly canAskForLess?: boolean;
}

export type RpcOutcome =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "refused"; readonly error: RpcRefusal };

export interface Rpc {
  /** Throws an `RpcRefusal` if the node refuses, `SOURCE_FAILED` if its answer is not JSON-RPC. */
  call(method: string, params: readonly unknown[], options?: CallOptions): Promise<unknown>;
  /** Outcomes in the order of the calls; sends batches, or single calls to a node without batch support. */
  callMany(calls: readonly RpcCall[], options?: CallOptions): Promise<RpcOutcome[]>;
}

/** Builds an `Rpc` whose single call is a batch of one. */
export function rpcOf(callMany: Rpc["callMany"]): Rpc {
  return {
    callMany,
    async call(method, params, options) {
      const [outcome] = await callMany([{ method, params }], options);
      invariant(outcome !== undefined, "every call has an outcome");
      if (outcome.kind === "refused") throw outcome.error;
      return outcome.result;
    },
  };
}

const Reply = z.object({
  id: z.union([z.number(), z.string()]).nullish(),
  result: z.unknown().optional(),
  error: z.object({ code: z.number().catch(0), message: z.string().catch("") }).nullish(),
});
type Reply = z.infer<typeof Reply>;

/** Opens a JSON-RPC 2.0 connection to one node. The URL may contain a key, so no message contains it. */
export function createRpc({ http, url }: { readonly http: HttpClient; readonly url: string }): Rpc {
  let nextId = 1;
  let takesBatches = true;

  /** Sends one request, or several if the node refuses batches or finds this one too large. */
  const send = async (part: readonly RpcCall[], options: CallOptions): Promise<RpcOutcome[]> => {
    const isBatch = part.length > 1;
    if (isBatch && !takesBatches) return sendParts(part, 1, options);
    const bodies = part.map((call) => ({ jsonrpc: "2.0", id: nextId++, ...call }));
    const answer = await http.postJson({ url, body: isBatch ? bodies : bodies[0], ...options });
    if (isBatch && !Array.isArray(answer.body)) {
      if (answer.status === 413) return sendParts(part, Math.ceil(part.length / 2), options);
      takesBatches = false;
      return sendParts(part, 1, options);
    }
    const given: readonly unknown[] = isBatch ? (answer.body as unknown[]) : [answer.body];
    const replies = given.flatMap((item) => Reply.safeParse(item).data ?? []);
    const byId = new Map(replies.map((reply) => [reply.id, reply]));
    // A refusal of the whole request may come without an id.
    return bodies.map(({ id, method }) => outcomeOf(method, answer, isBatch ? byId.get(id) : replies[0], id));
  };
  const sendParts = async (calls: readonly RpcCall[], size: number, options: CallOptions) => {
    const outcomes: RpcOutcome[] = [];
    for (const part of inBatches(calls, size)) outcomes.push(...(await send(part, options)));
    return outcomes;
  };
  return rpcOf((calls, options = {}) => sendParts(calls, GOVERNOR_LIMITS.batchMax, options));
}

function outcomeOf(method: string, answer: JsonAnswer, reply: Reply | undefined, id: number): RpcOutcome {
  if (answer.status === 413) {
    return { kind: "refused", error: rpcRefusal(method, 413, reply?.error?.message ?? "") };
  }
  if (reply?.error != null) {
    return { kind: "refused", error: rpcRefusal(method, reply.error.code, reply.error.message) };
  }
  const isOurs = reply !== undefined && reply.id === id && reply.result !== undefined;
  if (!isOurs || answer.status < 200 || answer.status > 299) {
    throw sourceFailed(`the node's answer to ${method} is not JSON-RPC (HTTP ${answer.status})`);
  }
  return { kind: "result", result: reply.result };
}
