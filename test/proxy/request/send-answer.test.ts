import { createHash } from "node:crypto";
import { fastify } from "fastify";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../../proxy/request/answer.ts";
import { notedProblem } from "../../../proxy/request/noted-problem.ts";
import { PROBLEMS, type Problem } from "../../../proxy/request/problems.ts";
import { closingProblem } from "../../../proxy/request/raw-problem.ts";
import { sendAnswer } from "../../../proxy/request/send-answer.ts";

const STANDING = { limit: 100, remaining: 3, resetAtMs: 1_000_000, secondsToReset: 77 };
const BYTES = Buffer.from("{}\n");
const ETAG = `"${createHash("sha256").update(BYTES).digest("hex")}"`;
const FOUND = {
  kind: "body",
  snapshotVersion: "v",
  mayBeKept: true,
  encode: () => ({ bytes: BYTES, etag: ETAG }),
} as const satisfies Answer;

/** What one answer looks like to who asked, and what it was told as. */
async function sent(
  answer: Answer,
  ask: {
    readonly method?: "GET" | "HEAD";
    readonly headers?: Record<string, string>;
    readonly isKnown?: boolean;
  } = {},
) {
  const told: unknown[] = [];
  const app = fastify({ exposeHeadRoutes: false });
  app.route({
    method: ["GET", "HEAD"],
    url: "/",
    handler: (request, reply) =>
      sendAnswer(request, reply, answer, ask.isKnown === false ? undefined : STANDING),
  });
  app.addHook("onResponse", async (_request, reply) => void told.push(notedProblem(reply.raw)));
  const { method = "GET", headers = {} } = ask;
  const response = await app.inject({ method, url: "/", headers });
  await app.close();
  return { ...response, headers: response.headers, status: response.statusCode, body: response.body, told };
}

describe("a refusal", () => {
  it.each(Object.keys(PROBLEMS) as Problem[])(
    "%s says what its status must say, and nothing else",
    async (problem) => {
      const { status, retryAfterSeconds } = PROBLEMS[problem];
      const seen = await sent({ kind: "problem", problem });
      expect(seen.status).toBe(status);
      expect(seen.headers["www-authenticate"]).toBe(status === 401 ? 'ApiKey realm="v1"' : undefined);
      expect(seen.headers["allow"]).toBe(status === 405 ? "GET, HEAD, OPTIONS" : undefined);
      const wait = status === 429 ? STANDING.secondsToReset : retryAfterSeconds;
      expect(seen.headers["retry-after"]).toBe(wait === undefined ? undefined : String(wait));
      expect(seen.told).toEqual([problem]);
      expect(seen.headers["x-snapshot-version"]).toBeUndefined();
    },
  );

  it("of somebody unknown names no wait that depends on who asks", async () => {
    const seen = await sent({ kind: "problem", problem: "quota-used-up" }, { isKnown: false });
    expect([seen.status, seen.headers["retry-after"], seen.headers["x-ratelimit-limit"]]).toEqual([
      429,
      undefined,
      undefined,
    ]);
  });

  it.each(Object.keys(PROBLEMS) as Problem[])(
    "%s, where it ends the connection, names methods with 405 alone",
    (problem) => {
      const request = { requestId: "r", origin: undefined, corsOrigins: new Set<string>() };
      const { status, headers } = closingProblem(problem, request);
      expect(headers["allow"]).toBe(status === 405 ? "GET, HEAD, OPTIONS" : undefined);
      expect(headers["connection"]).toBe("close");
    },
  );
});

describe("an answer", () => {
  it.each([
    { why: "nothing is held", headers: {}, status: 200, body: "{}\n" },
    { why: "another is held", headers: { "if-none-match": '"other"' }, status: 200, body: "{}\n" },
    { why: "this one is held", headers: { "if-none-match": ETAG }, status: 304, body: "" },
  ])("is $status where $why", async ({ headers, status, body }) => {
    const seen = await sent(FOUND, { headers });
    expect([seen.status, seen.body, seen.headers["etag"], seen.told]).toEqual([
      status,
      body,
      ETAG,
      [undefined],
    ]);
    expect(seen.headers["cache-control"]).toBe("private, no-cache");
  });

  it("to HEAD has the length of the body and not the body", async () => {
    const seen = await sent(FOUND, { method: "HEAD" });
    expect([seen.status, seen.body, seen.headers["content-length"]]).toEqual([200, "", String(BYTES.length)]);
  });

  it("that may not be kept has no ETag, whatever is held", async () => {
    const seen = await sent({ ...FOUND, mayBeKept: false }, { headers: { "if-none-match": ETAG } });
    expect([seen.status, seen.headers["etag"]]).toEqual([200, undefined]);
  });
});
