import { describe, expect, it } from "vitest";
import { openApiViolations, type SeenAnswer } from "../../support/openapi-validator.ts";

const COMPONENTS = { hpr: 5, dei: 5, pdi: 5, gpi: 5 };
const DATA = {
  composite: 5,
  components: COMPONENTS,
  dao_count: 3,
  calculated_at: "2026-03-31T23:59:59.999Z",
};
const META = { methodology_version: "1.0.0", as_of: "2026-03-31T23:59:59.999Z" };
const text = (data: object, meta: object = META) => `${JSON.stringify({ data, meta })}\n`;

const GOOD: SeenAnswer = {
  method: "GET",
  target: "/v1/dgi",
  status: 200,
  headers: {
    date: "now",
    "content-type": "application/json; charset=utf-8",
    "cache-control": "private, no-cache",
    "x-content-type-options": "nosniff",
    vary: "x-api-key, accept-encoding",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "x-request-id": "0".repeat(24),
    etag: `"${"0".repeat(32)}"`,
    "x-snapshot-version": "20260401T010000Z-9dab89c3",
    "ratelimit-policy": '"daily";q=100;w=86400',
    ratelimit: '"daily";r=99;t=10',
    "x-ratelimit-limit": "100",
    "x-ratelimit-remaining": "99",
    "x-ratelimit-reset": "1775088000",
  },
  body: text(DATA),
};
const withHeaders = (headers: SeenAnswer["headers"]): SeenAnswer => ({
  ...GOOD,
  headers: { ...GOOD.headers, ...headers },
});

describe("the check itself", () => {
  it("finds nothing in a good answer", () => {
    expect(openApiViolations(GOOD)).toEqual([]);
  });

  it.each([
    { why: "a status that is not described", seen: { ...GOOD, status: 418 } },
    { why: "a header that is not described", seen: withHeaders({ server: "x" }) },
    { why: "a header that is missing", seen: withHeaders({ etag: undefined }) },
    { why: "a header of a wrong form", seen: withHeaders({ etag: 'W/"0"' }) },
    { why: "a number in a header that is none", seen: withHeaders({ "x-ratelimit-remaining": "-1" }) },
    { why: "a store that others may read", seen: withHeaders({ "cache-control": "public" }) },
    { why: "another content type", seen: withHeaders({ "content-type": "text/plain; charset=utf-8" }) },
    { why: "a field too many", seen: { ...GOOD, body: text({ ...DATA, extra: 1 }) } },
    { why: "a field too few", seen: { ...GOOD, body: text({ composite: 5 }) } },
    { why: "a field out of range", seen: { ...GOOD, body: text({ ...DATA, composite: 11 }) } },
    {
      why: "an enum deep inside",
      seen: { ...GOOD, body: text({ ...DATA, components: { ...COMPONENTS, hpr: "5" } }) },
    },
    {
      why: "a day that does not exist",
      seen: { ...GOOD, body: text(DATA, { ...META, as_of: "2026-02-30T00:00:00.000Z" }) },
    },
    { why: "a third part of the envelope", seen: { ...GOOD, body: `{"data":{},"meta":{},"links":{}}` } },
    { why: "an answer to a parameter that is not taken", seen: { ...GOOD, target: "/v1/dgi?x=1" } },
    { why: "the data of another endpoint", seen: { ...GOOD, target: "/v1/dgi/history" } },
    { why: "a body to HEAD", seen: { ...GOOD, method: "HEAD" } },
    { why: "a good answer to another method", seen: { ...GOOD, method: "POST" } },
    { why: "a good answer where there is no path", seen: { ...GOOD, target: "/v1/nothing" } },
    {
      why: "a code that this status does not have",
      seen: { ...GOOD, status: 404, body: '{"error":{"code":"INTERNAL_ERROR","message":"x"}}' },
    },
  ])("finds $why", ({ seen }) => {
    expect(openApiViolations(seen)).not.toEqual([]);
  });
});
