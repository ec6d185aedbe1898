import type { FastifyReply, FastifyRequest } from "fastify";
import type { Answer } from "./answer.ts";
import { ALLOWED_METHODS, type QuotaStanding, quotaHeaders, REVALIDATE } from "./headers.ts";
import { matchesEtag, negotiateEncoding } from "./negotiate.ts";
import { noteProblem } from "./noted-problem.ts";
import { PROBLEMS, type Problem, problemBody } from "./problems.ts";
import { sendBytes } from "./send-bytes.ts";

/** RFC 9110 §11.6.1: a 401 must say how to authenticate. */
const CHALLENGE = 'ApiKey realm="v1"';

/** Sends an answer whose standard headers are set already, with the caller's standing where it is known. */
export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  standing: QuotaStanding | undefined,
): FastifyReply {
  if (standing !== undefined) reply.headers(quotaHeaders(standing));
  if (answer.kind === "problem") return sendProblem(request, reply, answer.problem, standing);

  const encoding = negotiateEncoding(request.headers["accept-encoding"]);
  const body = answer.encode(encoding);
  reply.header("x-snapshot-version", answer.snapshotVersion);
  if (answer.mayBeKept) {
    reply.headers({ "cache-control": REVALIDATE, etag: body.etag });
    if (matchesEtag(request.headers["if-none-match"], body.etag)) return reply.code(304).send();
  }
  if (encoding !== "identity") reply.header("content-encoding", encoding);
  return sendBytes(request, reply.code(200), body.bytes);
}

function sendProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  problem: Problem,
  standing: QuotaStanding | undefined,
): FastifyReply {
  const { status, retryAfterSeconds } = PROBLEMS[problem];
  noteProblem(reply.raw, problem);
  if (status === 401) reply.header("www-authenticate", CHALLENGE);
  if (status === 405) reply.header("allow", ALLOWED_METHODS);
  if (status === 429 && standing !== undefined) reply.header("retry-after", String(standing.secondsToReset));
  if (retryAfterSeconds !== undefined) reply.header("retry-after", String(retryAfterSeconds));
  return sendBytes(request, reply.code(status), problemBody(problem));
}
