import type { IncomingMessage, ServerResponse } from "node:http";
import type { Access, Admitted, Refused } from "../request/access.ts";
import type { EncodedBody } from "../request/answer.ts";
import type { ObserveRequest } from "../request/finished-request.ts";
import type { CorsOrigins } from "../request/headers.ts";
import { type ContentEncoding, matchesEtag, negotiateEncoding } from "../request/negotiate.ts";
import type { OptOutGuard } from "../snapshot/opt-out-guard.ts";
import type { SnapshotSource } from "../snapshot/snapshot-source.ts";
import type { AnswerMemory, RememberedAnswer } from "./answer-memory.ts";
import { createHotAnswers } from "./hot-answers.ts";
import { isPlainTarget, type PlainRequest, plainRequest } from "./plain-request.ts";

/** What answers a request, from the wire on. */
type Handler = (request: IncomingMessage, response: ServerResponse) => void;

/** What the fast path needs. */
export interface FastPathParts {
  readonly access: Access;
  readonly snapshots: Pick<SnapshotSource, "acquire">;
  readonly optOuts: Pick<OptOutGuard, "shown">;
  readonly memory: AnswerMemory;
  readonly corsOrigins: CorsOrigins;
  readonly isStopping: () => boolean;
  readonly newRequestId: () => string;
  readonly observe: ObserveRequest;
  readonly durationMs: () => number;
  /** The template that a target belongs to, asked only for who hung up before it was known. */
  readonly routeOf: (target: string) => string | undefined;
}

/** What was decided of requests before the router saw them, so that nobody is asked, or charged, twice. */
export type Decisions = WeakMap<IncomingMessage, Admitted | Refused>;

/** A request on its way here: what its end will tell. */
interface Exchange {
  readonly plain: PlainRequest;
  readonly startedMs: number;
  admission: Admitted | undefined;
  found: RememberedAnswer | undefined;
  status: number;
  readonly requestId: string;
  /** Whether the answer is out, or the caller is gone. */
  isOver: boolean;
  /** Whether the router has it, and tells of its end. */
  isGivenOn: boolean;
}

/** A body that cannot be packed is the router's to answer for. */
function encodeOrNothing({ answer }: RememberedAnswer, encoding: ContentEncoding): EncodedBody | undefined {
  try {
    return answer.encode(encoding);
  } catch {
    return undefined;
  }
}

/**
 * Answers what was answered before, without the router: a plain GET for a body that may be kept, with 200 or 304 and
 * the same bytes. Everything else goes on to `router`, with what access has decided by then in `decisions`.
 */
export function createFastPath(parts: FastPathParts, decisions: Decisions, router: Handler): Handler {
  const { access, memory } = parts;
  const hotAnswer = createHotAnswers(parts.corsOrigins.size > 0);

  const end = (exchange: Exchange, request: IncomingMessage, response: ServerResponse): void => {
    exchange.isOver = true;
    if (exchange.isGivenOn) return;
    const { admission, found, status, requestId, startedMs } = exchange;
    admission?.leave();
    parts.observe({
      requestId,
      method: "GET",
      route: found?.route ?? parts.routeOf(request.url ?? "") ?? "unmatched",
      status,
      keyId: admission?.keyId,
      tier: admission?.tier,
      problem: undefined,
      ms: parts.durationMs() - startedMs,
      isAborted: !response.writableFinished,
    });
  };

  const find = (target: string, admission: Admitted): RememberedAnswer | undefined => {
    const lease = parts.isStopping() ? undefined : parts.snapshots.acquire();
    if (lease === undefined) return undefined;
    try {
      return memory.find(parts.optOuts.shown(lease.reader), target, admission.tier);
    } catch {
      // A version that cannot be shown is the router's to answer for.
      return undefined;
    } finally {
      lease.release();
    }
  };

  /** False where the body could not be had: then nothing was sent. */
  const send = (exchange: Exchange, response: ServerResponse, admission: Admitted): boolean => {
    const { plain, found } = exchange;
    const encoding = negotiateEncoding(plain.acceptEncoding);
    const body = found === undefined ? undefined : encodeOrNothing(found, encoding);
    if (found === undefined || body === undefined) return false;
    const isNotModified = matchesEtag(plain.ifNoneMatch, body.etag);
    exchange.status = isNotModified ? 304 : 200;
    const hot = hotAnswer({
      body,
      encoding,
      snapshotVersion: found.answer.snapshotVersion,
      requestId: exchange.requestId,
      standing: admission.standing,
      isNotModified,
    });
    response.writeHead(exchange.status, hot.lines);
    if (typeof hot.body === "string") response.end(hot.body, "latin1");
    else response.end(hot.body);
    return true;
  };

  const decide = (
    exchange: Exchange,
    request: IncomingMessage,
    response: ServerResponse,
    decision: Admitted | Refused,
  ): void => {
    const admission = decision.kind === "admitted" ? decision : undefined;
    // The caller hung up while the unit was written: its end has passed already.
    if (exchange.isOver) {
      admission?.leave();
      return;
    }
    if (admission !== undefined) {
      exchange.found = find(request.url ?? "", admission);
      exchange.admission = admission;
      if (send(exchange, response, admission)) return;
    }
    exchange.isGivenOn = true;
    decisions.set(request, decision);
    router(request, response);
  };

  return (request, response) => {
    // Not whether it was answered before: who is refused must not learn from a clock what others have asked for.
    const plain = isPlainTarget(request.url ?? "") ? plainRequest(request) : undefined;
    if (plain === undefined) return router(request, response);
    const exchange: Exchange = {
      plain,
      startedMs: parts.durationMs(),
      admission: undefined,
      found: undefined,
      status: 200,
      requestId: parts.newRequestId(),
      isOver: false,
      isGivenOn: false,
    };
    response.once("close", () => end(exchange, request, response));
    access(request.rawHeaders).then(
      (decision) => decide(exchange, request, response, decision),
      () => {
        // Nothing was decided: the router asks again, and answers for it if that fails too.
        exchange.isGivenOn = true;
        if (!exchange.isOver) router(request, response);
      },
    );
  };
}
