import { describe, expect, it } from "vitest";
import { isUnderApi, splitTarget } from "../../../proxy/request/request-head.ts";

describe("splitTarget", () => {
  it.each([
    { why: "a path", target: "/v1/daos", path: "/v1/daos", query: "" },
    { why: "a query", target: "/v1/daos?a=1&b=2", path: "/v1/daos", query: "a=1&b=2" },
    { why: "an empty query", target: "/v1/daos?", path: "/v1/daos", query: "" },
    { why: "a hash splits as the router does", target: "/v1/daos#a?b", path: "/v1/daos", query: "a?b" },
    { why: "absolute form", target: "http://host:1/v1/daos?a", path: "/v1/daos", query: "a" },
    { why: "absolute form without a path", target: "http://host", path: "", query: "" },
    { why: "two slashes are no host", target: "//host/v1", path: "//host/v1", query: "" },
    { why: "escapes stay", target: "/v1/%2e%2e", path: "/v1/%2e%2e", query: "" },
  ])("$why", ({ target, path, query }) => {
    expect(splitTarget(target)).toEqual({ path, query });
  });
});

describe("isUnderApi", () => {
  it.each([
    { target: "/v1", want: true },
    { target: "/v1?x", want: true },
    { target: "/v1/", want: true },
    { target: "/v1//daos", want: true },
    { target: "http://host/v1/daos", want: true },
    { target: "/v1x", want: false },
    { target: "/V1/daos", want: false },
    { target: "//v1/daos", want: false },
    { target: "/", want: false },
    { target: "*", want: false },
    { target: "", want: false },
  ])("$target: $want", ({ target, want }) => {
    expect(isUnderApi(target)).toBe(want);
  });
});
