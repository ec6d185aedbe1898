import type { IncomingMessage } from "node:http";
import { fastify } from "fastify";
import { describe, expect, it } from "vitest";
import { ERROR_CODES, PROBLEMS, type Problem } from "../../../proxy/request/problems.ts";
import { CONTENT_ENCODINGS } from "../../../proxy/request/request-head.ts";
import {
  type BodyResponse,
  createResponseCache,
  createResponses,
  documentResponse,
  type EndpointResponse,
  type ReadyResponse,
  type Responses,
} from "../../../proxy/request/response.ts";
import { ErrorEnvelope } from "../../../snapshots/format/envelope.ts";
import { ACCESS_TIERS, type AccessTier } from "../../../snapshots/format/value-sets.ts";
import type { SnapshotReader } from "../../../snapshots/store/read/snapshot-reader.ts";
import { fakeReader } from "../support/fake-reader.ts";
import { STATUSES_OF } from "../support/faults-of-answer.ts";

const QUOTA = { limit: 100, remaining: 3, resetAtMs: 1_000_000, secondsToReset: 77 };
const ALL = Object.keys(PROBLEMS) as Problem[];

/** What one answer looks like to who asked. */
async function sent(ready: (answers: Responses, request: IncomingMessage) => ReadyResponse) {
  const answers = createResponses(new Set());
  const app = fastify({ exposeHeadRoutes: false });
  app.get("/", ({ id, raw: request }, reply) => {
    const { raw: response } = reply.hijack();
    answers.write({ id, request, response }, ready(answers, request), { quota: QUOTA, isLast: false });
  });
  const response = await app.inject({ url: "/" });
  await app.close();
  return { headers: response.headers, status: response.statusCode, body: response.body };
}

describe("a refusal", () => {
  const ANSWERS = createResponses(new Set());

  it.each(ALL)("%s says what its status must say, and nothing else", async (problem) => {
    const { status, code, message, retryAfterSeconds } = PROBLEMS[problem];
    expect(STATUSES_OF[code]).toContain(status);
    const seen = await sent(({ ofProblem }) => ofProblem(problem, status === 429 ? 77 : undefined));
    expect(seen.status).toBe(status);
    expect(ErrorEnvelope.parse(JSON.parse(seen.body))).toEqual({ error: { code, message } });
    expect(seen.headers["www-authenticate"]).toBe(status === 401 ? 'ApiKey realm="v1"' : undefined);
    expect(seen.headers["allow"]).toBe(status === 405 ? "GET, HEAD, OPTIONS" : undefined);
    const wait = status === 429 ? 77 : retryAfterSeconds;
    expect(seen.headers["retry-after"]).toBe(wait === undefined ? undefined : String(wait));
    expect(seen.headers["x-snapshot-version"]).toBeUndefined();
    if (status === 503) expect([1, 2, 5]).toContain(retryAfterSeconds);
    else expect(retryAfterSeconds).toBeUndefined();

    const { lines, body, ...raw } = ANSWERS.raw(problem, "id-1");
    const value = (name: string) => (lines.includes(name) ? lines[lines.indexOf(name) + 1] : undefined);
    expect([raw.status, body]).toEqual([status, seen.body]);
    expect(value("allow")).toBe(status === 405 ? "GET, HEAD, OPTIONS" : undefined);
    expect([value("connection"), value("x-request-id")]).toEqual(["close", "id-1"]);
    expect(value("content-length")).toBe(String(Buffer.byteLength(body)));
  });

  it("has one of the stable codes, each of which is used", () => {
    expect(new Set(ALL.map((problem) => PROBLEMS[problem].code))).toEqual(new Set(ERROR_CODES));
  });

  it("that waits until midnight is not mixed up with the wait of another", () => {
    const waits = [5, 6, undefined].map((seconds) =>
      ANSWERS.ofProblem("quota-used-up", seconds).tail.join(" "),
    );
    expect(waits).toEqual([
      expect.stringContaining("retry-after 5"),
      expect.stringContaining("retry-after 6"),
      expect.not.stringContaining("retry-after"),
    ]);
  });

  it("names the limits that are allowed, in the words that callers read", () => {
    expect(PROBLEMS["limit-invalid"].message).toBe("limit must be given once, as one of 10, 20, 50, 100.");
  });
});

describe("an answer", () => {
  it.each([
    { why: "short", bytes: 4_096 },
    { why: "long", bytes: 4_097 },
  ])("arrives as the bytes that it is, also beyond ASCII: $why", async ({ bytes }) => {
    const text = "é".repeat(bytes / 2).padEnd(bytes, "x");
    const encoded = { bytes: Buffer.from(text), etag: '"e"' };
    const answer = { encode: () => encoded, bytes, mayBeKept: true, snapshotVersion: "v" };
    expect((await sent(({ ofBody }, request) => ofBody(answer, request))).body).toBe(text);
  });
});

function body({ mayBeKept = true, bodyBytes = 2 } = {}): BodyResponse {
  const encoded = { bytes: Buffer.alloc(bodyBytes), etag: '"e"' };
  return { encode: () => encoded, bytes: bodyBytes, mayBeKept, snapshotVersion: "v" };
}

/** A cache, and whether an answer had to be made. */
function setUp(bytesMax = 3_000_000) {
  const cache = createResponseCache(bytesMax);
  const isMade = (
    shown: SnapshotReader,
    tier: AccessTier,
    target: string,
    answer: EndpointResponse = body(),
  ) => {
    let made = false;
    cache(shown, tier, target, () => {
      made = true;
      return answer;
    });
    return made;
  };
  return { cache, isMade };
}

describe("createResponseCache", () => {
  it("gives the very answer again, for the same version, tier and target alone", () => {
    const { cache, isMade } = setUp();
    const [one, other] = [fakeReader(1), fakeReader(2)];
    const answer = body();
    expect(cache(one, "pro", "/v1/x", () => answer)).toBe(answer);
    expect(cache(one, "pro", "/v1/x", () => body())).toBe(answer);
    expect(isMade(one, "pro", "/v1/y")).toBe(true);
    for (const tier of ACCESS_TIERS) expect(isMade(one, tier, "/v1/x"), tier).toBe(tier !== "pro");
    expect(isMade(other, "pro", "/v1/x")).toBe(true);
  });

  it("reads the list of 30,000 DAOs once for each tier, in every encoding that was made at publishing", () => {
    const cache = createResponseCache();
    let reads = 0;
    const list = {
      identity: { bytes: Buffer.alloc(7_600_000), etag: '"i"' },
      gzip: { bytes: Buffer.alloc(1_300_000), etag: '"g"' },
      brotli: { bytes: Buffer.alloc(1_100_000), etag: '"b"' },
    };
    const reader = fakeReader(1, {
      document: () => {
        reads += 1;
        return list;
      },
    });
    const ask = (tier: AccessTier) =>
      cache(reader, tier, "/v1/daos", () => documentResponse(reader, "daos", "all", "internal-error"));
    const etags = { identity: '"i"', gzip: '"g"', br: '"b"' };
    for (const tier of ACCESS_TIERS) {
      for (const encoding of CONTENT_ENCODINGS) {
        const answer = ask(tier);
        expect(typeof answer === "object" && "encode" in answer && answer.encode(encoding).etag).toBe(
          etags[encoding],
        );
      }
    }
    expect(reads).toBe(ACCESS_TIERS.length);
  });

  it("forgets everything of a version once another one is asked for", () => {
    const { isMade } = setUp();
    const [one, other] = [fakeReader(1), fakeReader(2)];
    for (const tier of ACCESS_TIERS) isMade(one, tier, "/v1/x");
    isMade(other, "pro", "/v1/y");
    for (const tier of ACCESS_TIERS) expect(isMade(one, tier, "/v1/x")).toBe(true);
  });

  it.each([
    { why: "nobody may keep it", target: "/v1/entities/e", answer: body({ mayBeKept: false }) },
    { why: "it is a problem", target: "/v1/daos/x", answer: "dao-unknown" as const },
    { why: "its target has an escape", target: "/v1/d%61os", answer: body() },
    { why: "its target names the server", target: "http://localhost/v1/daos", answer: body() },
    { why: "its target is longer than any id", target: `/v1/${"x".repeat(256)}`, answer: body() },
  ])("does not keep an answer where $why", ({ target, answer }) => {
    const { cache, isMade } = setUp();
    const reader = fakeReader(1);
    expect(cache(reader, "pro", target, () => answer)).toBe(answer);
    expect(isMade(reader, "pro", target)).toBe(true);
  });

  it.each([
    { why: "many small ones", bodyBytes: 100, targetLength: 10 },
    { why: "large bodies", bodyBytes: 20_000, targetLength: 10 },
    { why: "long targets", bodyBytes: 100, targetLength: 200 },
  ])("holds so many bytes of a tier and no more, the latest: $why", ({ bodyBytes, targetLength }) => {
    const { isMade } = setUp();
    const reader = fakeReader(1);
    const targets = Array.from({ length: 2_000 }, (_, n) => `/v1/${n}`.padEnd(targetLength, "x"));
    for (const target of targets) isMade(reader, "pro", target, body({ bodyBytes }));
    // One that is not kept would push out another, so the latest are asked for first.
    const kept: string[] = [];
    for (const target of targets.toReversed()) {
      if (isMade(reader, "pro", target, body({ mayBeKept: false }))) break;
      kept.push(target);
    }
    expect(kept.length * (bodyBytes + targetLength)).toBeLessThan(1_000_000);
    expect(kept.length).toBeGreaterThan(10);
  });
});
