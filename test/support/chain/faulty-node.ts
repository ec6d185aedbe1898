import type { JsonAnswer } from "../../../pipeline/sources/http/exchange.ts";
import type { HttpClient } from "../../../pipeline/sources/http/http-client.ts";

/** A call that was sent to the node. */
export interface SeenCall {
  readonly method: string;
  readonly params: readonly unknown[];
}

/** A fault between a test and the node: it may answer instead of the node, or change the node's result. */
export interface NodeFault {
  /** The answer instead of the node's; `undefined` passes the call on. */
  answer?(call: SeenCall): FaultAnswer | undefined;
  /** Returns the changed result of the node. */
  result?(call: SeenCall, result: unknown): unknown;
  /** Answers a batch like a node that does not support batches. */
  readonly refusesBatches?: boolean;
}

/** An answer that the real node would not give. */
export interface FaultAnswer {
  readonly status?: number;
  readonly error?: { readonly code: number; readonly message: string };
  /** The whole body. */
  readonly body?: unknown;
}

/** An HTTP client for a misbehaving node; `seen` are the calls in order, including those in batches. */
export function faultyNode(
  inner: HttpClient,
  fault: NodeFault,
): { readonly http: HttpClient; readonly seen: SeenCall[] } {
  const seen: SeenCall[] = [];
  const one = async (url: string, call: SeenCall & { id: unknown }): Promise<JsonAnswer> => {
    seen.push(call);
    const faulted = fault.answer?.(call);
    if (faulted !== undefined) {
      const plain = { jsonrpc: "2.0", id: call.id, error: faulted.error };
      return { status: faulted.status ?? 200, body: "body" in faulted ? faulted.body : plain };
    }
    const answer = await inner.postJson({ url, body: call });
    const body = answer.body as { result?: unknown };
    if (fault.result === undefined || body.result === undefined) return answer;
    return { ...answer, body: { ...body, result: fault.result(call, body.result) } };
  };
  const http: HttpClient = {
    ...inner,
    async postJson({ url, body }) {
      if (!Array.isArray(body)) return one(url, body as SeenCall & { id: unknown });
      if (fault.refusesBatches === true) {
        const error = { code: -32_600, message: "batch requests are not supported" };
        return { status: 200, headers: {}, body: { jsonrpc: "2.0", id: null, error } };
      }
      const answers: unknown[] = [];
      for (const call of body) answers.push((await one(url, call)).body);
      return { status: 200, headers: {}, body: answers };
    },
  };
  return { http, seen };
}
