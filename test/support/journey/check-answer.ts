import { expect } from "vitest";
import { ErrorEnvelope } from "../../../snapshots/format/envelope.ts";
import type { Answer } from "./ask.ts";
import type { Promised } from "./promised.ts";

/** Headers that every response under `/v1` must have, and two that none may have. */
function checkStandardHeaders({ headers }: Answer): void {
  expect(headers).toMatchObject({
    "content-type": "application/json; charset=utf-8",
    "x-content-type-options": "nosniff",
    vary: "x-api-key, accept-encoding",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-request-id": expect.stringMatching(/^\S{16,}$/),
  });
  expect(headers).not.toHaveProperty("server");
  expect(headers).not.toHaveProperty("x-powered-by");
}

/** Checks that a caller without a valid key gets only that error. */
export function checkUnauthorized(answer: Answer, code: "MISSING_API_KEY" | "INVALID_API_KEY"): void {
  checkStandardHeaders(answer);
  expect(answer.status).toBe(401);
  expect(ErrorEnvelope.parse(JSON.parse(answer.text)).error.code).toBe(code);
  expect(answer.headers).toMatchObject({
    "www-authenticate": 'ApiKey realm="v1"',
    "cache-control": "private, no-store",
  });
  for (const name of ["etag", "ratelimit", "x-ratelimit-limit", "x-snapshot-version"])
    expect(answer.headers).not.toHaveProperty(name);
}

function checkQuotaHeaders({ headers }: Answer, limit: number): void {
  expect(headers).toMatchObject({
    "ratelimit-policy": `"daily";q=${limit};w=86400`,
    ratelimit: expect.stringMatching(/^"daily";r=\d+;t=\d+$/),
    "x-ratelimit-limit": String(limit),
    "x-ratelimit-remaining": expect.stringMatching(/^\d+$/),
    "x-ratelimit-reset": expect.stringMatching(/^\d{10}$/),
  });
  expect(Number(headers["x-ratelimit-reset"]) % 86_400).toBe(0);
}

/** Checks a response to a valid key: expected status, code and headers, and every byte of a 200. */
export function checkPromised(answer: Answer, promised: Promised, limit: number, version: string): void {
  checkStandardHeaders(answer);
  checkQuotaHeaders(answer, limit);
  expect(answer.status, answer.text.slice(0, 300)).toBe(promised.status);
  if (promised.status !== 200) {
    expect(ErrorEnvelope.parse(JSON.parse(answer.text)).error.code).toBe(promised.code);
    expect(answer.headers["cache-control"]).toBe("private, no-store");
    expect(answer.headers).not.toHaveProperty("etag");
    expect(answer.headers["allow"]).toBe(promised.status === 405 ? "GET, HEAD, OPTIONS" : undefined);
    return;
  }
  promised.shape.parse(JSON.parse(answer.text));
  expect(answer.text).toBe(`{"data":${promised.data},"meta":${JSON.stringify(promised.meta)}}\n`);
  expect(answer.headers["x-snapshot-version"]).toBe(version);
  expect(answer.headers["cache-control"]).toBe(promised.isEntity ? "private, no-store" : "private, no-cache");
  if (promised.isEntity) expect(answer.headers).not.toHaveProperty("etag");
  else expect(answer.headers["etag"]).toMatch(/^"[^"]+"$/);
}
