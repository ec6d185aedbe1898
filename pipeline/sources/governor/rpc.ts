import { z } from "zod";
import { invariant, PipelineError } from "../../facts/errors.ts";
import type { JsonAnswer } from "../http/exchange.ts";
import type { HttpClient } from "../http/http-client.ts";

/** A node's own refusal of one call. Its words are the node's: they are read to go on, and never shown. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  /** The JSON-RPC code, or 413 where the HTTP status said it, or an answer did not come. */
  readonly code: number;
  /** What the node said, for finding hints; may hold anything, an access key too. */
  readonly detail: string;

  constructor(method: string, code: number, detail: string) {
    super(`the node refused ${method} with code ${code}`);
    this.code = code;
    this.detail = detail;
  }
}

/** Geth's code for a call that the contract itself ended. */
const REVERTED = 3;

/** How other nodes say it in words: Erigon, Besu, Nethermind and OpenEthereum have each their own spelling. */
export const REVERT_WORDS =
  /revert|invalid ?\w*(?:opcode|jump)|out ?of ?gas|vm execution|bad instruction|stack ?(?:under|over)flow/i;

/** Whether a node's refusal says that the contract itself ended the call, which is an answer. */
export function isRevert({ code, detail }: Pick<RpcError, "code" | "detail">): boolean {
  return code === REVERTED || REVERT_WORDS.test(detail);
}

/** A loop over outside data has an end, and reaching it is an error. */
export const GOVERNOR_LIMITS = {
  /** Blocks asked for at once in the beginning: the most that large public providers grant without a key. */
  rangeBlocksStart: 10_000,
  /** A range never grows past this; nodes of one's own grant more, and gain nothing by it. */
  rangeBlocksMax: 100_000,
  /** Of one contract in one fetch: the whole of Ethereum in ranges of 250 blocks. */
  rangesMax: 100_000,
  /** Logs of one answer; providers stop at 10,000 or 20,000. */
  logsPerAnswerMax: 200_000,
  /** Delegation events after which a step is kept: a second of writing, and some tens of requests. */
  eventsPerStep: 10_000,
  /** Logs of a governor after which a step is kept: reasons and descriptions are long. */
  governorLogsPerStep: 2_000,
  /** Ranges after which a step is kept, however few logs they have: a minute without a key. */
  rangesPerStep: 50,
  /** Blocks × logs of a block that still make one exact double together, as in the archive. */
  logsPerBlockMax: 2 ** 20,
  blocksMax: 2 ** 33,
  /** Requests of one JSON-RPC batch; the smallest limit of a large provider is 100. */
  batchMax: 100,
  /** Calls inside one `aggregate3`: 100 look-ups of a checkpoint stay far below a node's gas cap of a call. */
  callsPerAggregateMax: 100,
  /** Block times remembered at once; 100 bytes each. */
  blockTimesMax: 50_000,
  /** More steps than a binary search over 2^33 blocks takes. */
  searchStepsMax: 40,
  /** Accounts whose rebuilt power is compared with the contract's own. */
  reconciledAccounts: 50,
  proposalsMax: 100_000,
  /** Voters × proposals of one governor; 200 bytes each. */
  voteRowsMax: 1_000_000,
  /** With more malformed logs than this the contract is not what the registry says. */
  malformedShareMax: 0.1,
  /** Of the few logs since the last fetch of a contract whose logs could be taken until then. */
  malformedBorne: 10,
} as const;

const QUANTITY = /^0x[0-9a-fA-F]{1,14}$/;

/** A number as JSON-RPC writes it. */
export function hexQuantity(value: number): string {
  return `0x${value.toString(16)}`;
}

/** A number that a node wrote; throws `PipelineError` SOURCE_FAILED for what is none. */
export function parseQuantity(hex: unknown, what: string): number {
  const value = typeof hex === "string" && QUANTITY.test(hex) ? Number(hex) : Number.NaN;
  if (Number.isSafeInteger(value)) return value;
  throw new PipelineError("SOURCE_FAILED", `the node's ${what} is not a 0x quantity`);
}

/** One call of a node. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** How a call may be answered. */
interface CallOptions {
  /** No answer in time, and others of that sort, are a refusal with code 413: the caller asks for less. */
  readonly canAskForLess?: boolean;
}

/** What became of one call of a batch. */
export type RpcOutcome =
  | { readonly kind: "result"; readonly result: unknown }
  | { readonly kind: "refused"; readonly error: RpcError };

/** A node as we speak to it. */
export interface Rpc {
  /** Throws `RpcError` where the node refuses, `PipelineError` SOURCE_FAILED where it does not answer as a node does. */
  call(method: string, params: readonly unknown[], options?: CallOptions): Promise<unknown>;
  /** The outcomes in the order of the calls; in batches, or one by one for a node that takes no batches. */
  callMany(calls: readonly RpcCall[], options?: CallOptions): Promise<RpcOutcome[]>;
}

/** A node of which a single call is one of many. */
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

/** Speaks JSON-RPC 2.0 to one node. The address may hold a key, so it stands in no message. */
export function createRpc({ http, url }: { readonly http: HttpClient; readonly url: string }): Rpc {
  let nextId = 1;
  let takesBatches = true;

  /** One request of one call, or of a batch; `undefined` where the node does not answer a batch as one. */
  const ask = async (part: readonly RpcCall[], options: CallOptions): Promise<RpcOutcome[] | undefined> => {
    const firstId = nextId;
    nextId += part.length;
    const isBatch = part.length > 1;
    const bodies = part.map(({ method, params }, index) => ({
      jsonrpc: "2.0",
      id: firstId + index,
      method,
      params,
    }));
    const answer = await http.postJson({ url, body: isBatch ? bodies : bodies[0], ...options });
    if (isBatch && !Array.isArray(answer.body)) return undefined;
    const given: readonly unknown[] = isBatch ? (answer.body as unknown[]) : [answer.body];
    const replies = given.flatMap((item) => Reply.safeParse(item).data ?? []);
    const byId = new Map(replies.map((reply) => [reply.id, reply]));
    return part.map(({ method }, index) => {
      const id = firstId + index;
      // A refusal of the whole request may come without an id.
      return outcomeOf(method, answer, isBatch ? byId.get(id) : replies[0], id);
    });
  };
  return rpcOf(async (calls, options = {}) => {
    const outcomes: RpcOutcome[] = [];
    for (let from = 0; from < calls.length; from += GOVERNOR_LIMITS.batchMax) {
      const part = calls.slice(from, from + GOVERNOR_LIMITS.batchMax);
      const together = takesBatches || part.length === 1 ? await ask(part, options) : undefined;
      if (together === undefined) {
        takesBatches = false;
        for (const call of part) outcomes.push(...((await ask([call], options)) ?? []));
      } else outcomes.push(...together);
    }
    return outcomes;
  });
}

function outcomeOf(method: string, answer: JsonAnswer, reply: Reply | undefined, id: number): RpcOutcome {
  if (answer.status === 413) {
    return { kind: "refused", error: new RpcError(method, 413, reply?.error?.message ?? "") };
  }
  if (reply?.error != null) {
    return { kind: "refused", error: new RpcError(method, reply.error.code, reply.error.message) };
  }
  const isOurs = reply !== undefined && reply.id === id && reply.result !== undefined;
  if (!isOurs || answer.status < 200 || answer.status > 299) {
    throw new PipelineError(
      "SOURCE_FAILED",
      `the node's answer to ${method} is no JSON-RPC answer (HTTP ${answer.status})`,
    );
  }
  return { kind: "result", result: reply.result };
}
