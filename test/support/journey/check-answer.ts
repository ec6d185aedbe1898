import { getGlobalDispatcher } from "undici";
import { expect } from "vitest";
import type { z } from "zod";
import type { FictionalEntity } from "../../../fixtures/world/entities.ts";
import { ErrorEnvelope } from "../../../snapshots/format/envelope.ts";
import type { Evidence } from "../../../snapshots/format/evidence.ts";
import type { Manifest } from "../../../snapshots/format/manifest.ts";
import type { Rankings } from "../../../snapshots/format/rankings.ts";
import type { PublishedFiles } from "../published-files.ts";

/** What a caller must get: a refusal with its code, or an answer made of a published file. */
export type Promised =
  | { readonly status: 400 | 403 | 404 | 405; readonly code: string }
  | {
      readonly status: 200;
      readonly shape: z.ZodType;
      /** The text of `data`, to the byte. */
      readonly data: string;
      readonly meta: object;
      readonly isEntity: boolean;
    };

/** One request, and what Free and the higher tiers must get for it. */
export interface JourneyRequest {
  readonly why: string;
  readonly path: string;
  readonly method?: "POST" | "PUT" | "DELETE" | "PATCH";
  readonly free: Promised;
  readonly pro: Promised;
}

/** Needs a higher tier. */
const TIER_INSUFFICIENT: Promised = { status: 403, code: "TIER_INSUFFICIENT" };
/** Does not exist, or is hidden. */
export const NOT_FOUND: Promised = { status: 404, code: "NOT_FOUND" };
/** Is tracked, but has no score. */
export const NOT_SCORED: Promised = { status: 404, code: "NOT_SCORED" };

/** A request with the same response on every tier. */
export const sameForAll = (why: string, path: string, promised: Promised): JourneyRequest => ({
  why,
  path,
  free: promised,
  pro: promised,
});
/** A request that Free may not make. */
export const proOnly = (why: string, path: string, promised: Promised): JourneyRequest => ({
  why,
  path,
  free: TIER_INSUFFICIENT,
  pro: promised,
});

/** The published files and the world's entities, from which the requests are made. */
export interface JourneySubjects {
  readonly published: PublishedFiles;
  readonly entities: readonly FictionalEntity[];
}

/** `meta` of an answer as of the run. */
export function metaOf(published: PublishedFiles): { methodology_version: string; as_of: string } {
  const { methodology_version, as_of } = published.json("manifest.json") as Manifest;
  return { methodology_version, as_of };
}

/** How certain the scores of a DAO are, from its evidence; without risk in the list, which is Free. */
export function certaintyOf(published: PublishedFiles, id: string, withRisk: boolean): object {
  const { gvs, components, risk, concentration, ...rest } = published.json(`evidence/${id}.json`) as Evidence;
  const { hpr, dei, pdi, gpi } = components;
  const rankings = published.json("rankings.json") as Rankings;
  const place = rankings.find(({ space_id: spaceId }) => spaceId === id);
  const ends = ({ low, high }: { low: number; high: number }, digits = 2) =>
    [low, high].map((value) => Number(value.toFixed(digits)));
  const four = { gvs: ends(gvs), hpr: ends(hpr), dei: ends(dei), pdi: ends(pdi), gpi: ends(gpi) };
  return {
    interval: { ...four, ...(withRisk && risk !== null ? { risk: ends(risk, 1) } : {}) },
    known_share: Number(rest.known_share.toFixed(2)),
    rank_range: [place?.best, place?.worst],
    presence: ends(rest.presence),
    not_known: rest.not_known,
    ...(withRisk && concentration !== null ? { concentration: roundedFigures(concentration) } : {}),
  };
}

/** Voters are counted; the other figures of concentration have two decimals. */
function roundedFigures({ nakamoto, ...figures }: NonNullable<Evidence["concentration"]>): object {
  const round = (figure: object) =>
    Object.fromEntries(Object.entries(figure).map(([end, value]) => [end, Number(value.toFixed(2))]));
  return { nakamoto, hhi_points: round(figures.hhi_points), gini: round(figures.gini) };
}

/** The text of a file in `data`: without its final newline. */
export const textOf = (published: PublishedFiles, path: string) =>
  published.bytes(path).toString("utf8").trimEnd();

/** A response as it was received: not decoded, header names in lower case. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  readonly text: string;
}

/** A request; `path` is sent unchanged. */
export interface Question {
  readonly path: string;
  readonly key?: string | undefined;
  readonly method?: "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "DELETE" | "PATCH" | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Sends one HTTP request. */
export async function ask(baseUrl: string, question: Question): Promise<Answer> {
  const { origin, hostname, port } = new URL(baseUrl);
  const key = question.key === undefined ? {} : { "x-api-key": question.key };
  const answer = await getGlobalDispatcher().request({
    origin,
    path: question.path,
    method: question.method ?? "GET",
    headers: { host: `${hostname}:${port}`, ...key, ...question.headers },
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return { status: answer.statusCode, headers: answer.headers, bytes, text: bytes.toString("utf8") };
}

/** A response without what always differs: time, connection, request ID and the quota's counters. */
export function comparable({ status, headers, text }: Answer): object {
  const passing = /^(date|connection|keep-alive|x-request-id|ratelimit|x-ratelimit-.*)$/;
  return {
    status,
    text,
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !passing.test(name))),
  };
}

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
