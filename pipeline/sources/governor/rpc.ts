import { z } from "zod";
import { PipelineError } from "../../base/pipeline-error.ts";
import type { HttpClient, JsonAnswer } from "../http/http-client.ts";
import { GOVERNOR_LIMITS } from "./limits.ts";
import { RpcError } from "./rpc-error.ts";

/** One call of a node. */
export interface RpcCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** How a call may be answered. */
export interface CallOptions {
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
  callMany(calls: readonly RpcCall[]): Promise<RpcOutcome[]>;
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
  const bodyOf = (id: number, { method, params }: RpcCall) => ({ jsonrpc: "2.0", id, method, params });

  const single = async (request: RpcCall, { canAskForLess = false }: CallOptions): Promise<RpcOutcome> => {
    const id = nextId++;
    const answer = await http.postJson({ url, body: bodyOf(id, request), canAskForLess });
    const parsed = Reply.safeParse(answer.body);
    return outcomeOf(request.method, answer, parsed.data, id);
  };
  const batch = async (requests: readonly RpcCall[]): Promise<RpcOutcome[] | undefined> => {
    const firstId = nextId;
    nextId += requests.length;
    const body = requests.map((request, index) => bodyOf(firstId + index, request));
    const answer = await http.postJson({ url, body });
    if (!Array.isArray(answer.body)) return undefined;
    const replies = new Map<unknown, Reply>();
    for (const item of answer.body) {
      const parsed = Reply.safeParse(item);
      if (parsed.success) replies.set(parsed.data.id, parsed.data);
    }
    return requests.map(({ method }, index) =>
      outcomeOf(method, answer, replies.get(firstId + index), firstId + index),
    );
  };
  return {
    async call(method, params, options = {}) {
      const outcome = await single({ method, params }, options);
      if (outcome.kind === "refused") throw outcome.error;
      return outcome.result;
    },
    async callMany(calls) {
      const outcomes: RpcOutcome[] = [];
      for (let from = 0; from < calls.length; from += GOVERNOR_LIMITS.batchMax) {
        const part = calls.slice(from, from + GOVERNOR_LIMITS.batchMax);
        const together = takesBatches && part.length > 1 ? await batch(part) : undefined;
        if (together === undefined) {
          if (part.length > 1) takesBatches = false;
          for (const request of part) outcomes.push(await single(request, {}));
        } else outcomes.push(...together);
      }
      return outcomes;
    },
  };
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
