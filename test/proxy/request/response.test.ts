import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { fastify } from "fastify";
import { describe, expect, it } from "vitest";
import { PROBLEMS, type Problem } from "../../../proxy/request/problems.ts";
import {
  type BodyResponse,
  createResponses,
  type ReadyResponse,
  type Responses,
} from "../../../proxy/request/response.ts";

const QUOTA = { limit: 100, remaining: 3, resetAtMs: 1_000_000, secondsToReset: 77 };
const BYTES = Buffer.from("{}\n");
const ETAG = `"${createHash("sha256").update(BYTES).digest("hex")}"`;
const ENCODED = { bytes: BYTES, etag: ETAG };
const FOUND: BodyResponse = {
  kind: "body",
  snapshotVersion: "v",
  mayBeKept: true,
  encode: () => ENCODED,
  bytes: 2,
};
const ALL = Object.keys(PROBLEMS) as Problem[];

/** What one answer looks like to who asked. */
async function sent(
  ready: (answers: Responses, request: IncomingMessage) => ReadyResponse,
  ask: { readonly method?: "GET" | "HEAD"; readonly headers?: Record<string, string> } = {},
) {
  const answers = createResponses(new Set());
  const app = fastify({ exposeHeadRoutes: false });
  app.route({
    method: ["GET", "HEAD"],
    url: "/",
    handler: ({ id, raw: request }, reply) => {
      const { raw: response } = reply.hijack();
      answers.write({ id, request, response }, ready(answers, request), { quota: QUOTA, isLast: false });
    },
  });
  const { method = "GET", headers = {} } = ask;
  const response = await app.inject({ method, url: "/", headers });
  await app.close();
  return { headers: response.headers, status: response.statusCode, body: response.body };
}

describe("a refusal", () => {
  it.each(ALL)("%s says what its status must say, and nothing else", async (problem) => {
    const { status, retryAfterSeconds } = PROBLEMS[problem];
    const seen = await sent(({ ofProblem }) => ofProblem(problem, status === 429 ? 77 : undefined));
    expect(seen.status).toBe(status);
    expect(seen.headers["www-authenticate"]).toBe(status === 401 ? 'ApiKey realm="v1"' : undefined);
    expect(seen.headers["allow"]).toBe(status === 405 ? "GET, HEAD, OPTIONS" : undefined);
    const wait = status === 429 ? 77 : retryAfterSeconds;
    expect(seen.headers["retry-after"]).toBe(wait === undefined ? undefined : String(wait));
    expect(seen.headers["x-snapshot-version"]).toBeUndefined();
  });

  it("that waits until midnight is not mixed up with the wait of another", () => {
    const { ofProblem } = createResponses(new Set());
    const waits = [5, 6, undefined].map((seconds) => ofProblem("quota-used-up", seconds).tail.join(" "));
    expect(waits).toEqual([
      expect.stringContaining("retry-after 5"),
      expect.stringContaining("retry-after 6"),
      expect.not.stringContaining("retry-after"),
    ]);
  });

  it.each(ALL)("%s, where it ends the connection, names methods with 405 alone", (problem) => {
    const { status, lines, body } = createResponses(new Set()).raw(problem, "id-1");
    const value = (name: string) => (lines.includes(name) ? lines[lines.indexOf(name) + 1] : undefined);
    expect(value("allow")).toBe(status === 405 ? "GET, HEAD, OPTIONS" : undefined);
    expect([value("connection"), value("x-request-id")]).toEqual(["close", "id-1"]);
    expect(value("content-length")).toBe(String(Buffer.byteLength(body)));
    expect(JSON.parse(body).error.code).toBe(PROBLEMS[problem].code);
  });
});

describe("an answer", () => {
  it.each([
    { why: "nothing is held", headers: {}, status: 200, body: "{}\n" },
    { why: "another is held", headers: { "if-none-match": '"other"' }, status: 200, body: "{}\n" },
    { why: "this one is held", headers: { "if-none-match": ETAG }, status: 304, body: "" },
  ])("is $status where $why", async ({ headers, status, body }) => {
    const seen = await sent(({ ofBody }, request) => ofBody(FOUND, request), { headers });
    expect([seen.status, seen.body, seen.headers["etag"]]).toEqual([status, body, ETAG]);
    expect(seen.headers["cache-control"]).toBe("private, no-cache");
    expect(seen.headers["content-length"]).toBe(status === 304 ? undefined : "3");
  });

  it.each([
    { why: "short", bytes: 4_096 },
    { why: "long", bytes: 4_097 },
  ])("arrives as the bytes that it is, also beyond ASCII: $why", async ({ bytes }) => {
    const text = "é".repeat(bytes / 2).padEnd(bytes, "x");
    const encoded = { bytes: Buffer.from(text), etag: '"e"' };
    const answer: BodyResponse = { ...FOUND, encode: () => encoded };
    expect((await sent(({ ofBody }, request) => ofBody(answer, request))).body).toBe(text);
  });

  it("to HEAD has the length of the body and not the body", async () => {
    const seen = await sent(({ ofBody }, request) => ofBody(FOUND, request), { method: "HEAD" });
    expect([seen.status, seen.body, seen.headers["content-length"]]).toEqual([200, "", String(BYTES.length)]);
  });

  it("that may not be kept has no ETag, whatever is held", async () => {
    const entity = { ...FOUND, mayBeKept: false, encode: () => ({ bytes: BYTES, etag: ETAG }) };
    const headers = { "if-none-match": ETAG };
    const seen = await sent(({ ofBody }, request) => ofBody(entity, request), { headers });
    expect([seen.status, seen.headers["etag"]]).toEqual([200, undefined]);
  });
});
