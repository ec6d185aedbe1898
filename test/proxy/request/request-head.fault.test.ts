import { describe, expect, it } from "vitest";
import { hasBody, type RequestHead, transportFault } from "../../../proxy/request/request-head.ts";

/** A head as Node hands it over: repeated names show in the raw list alone. */
function headOf(lines: readonly (readonly [string, string])[], head: Partial<RequestHead> = {}): RequestHead {
  return {
    method: "GET",
    url: "/v1/daos",
    httpVersion: "1.1",
    rawHeaders: lines.flat(),
    headers: Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value])),
    ...head,
  };
}

const HOST = ["Host", "x"] as const;
const many = (count: number) => [HOST, ...Array.from({ length: count - 1 }, () => ["A", "b"] as const)];

describe("transportFault", () => {
  it.each([
    { why: "a plain request", head: headOf([HOST]), want: undefined },
    { why: "an empty Host is one", head: headOf([["Host", ""]]), want: undefined },
    { why: "no Host", head: headOf([]), want: "request-malformed" },
    { why: "no Host in HTTP/1.0", head: headOf([], { httpVersion: "1.0" }), want: undefined },
    { why: "two Hosts", head: headOf([HOST, ["hOST", "y"]]), want: "request-malformed" },
    {
      why: "two Hosts in HTTP/1.0",
      head: headOf([HOST, HOST], { httpVersion: "1.0" }),
      want: "request-malformed",
    },
    { why: "a Host in a value is none", head: headOf([["A", "host"]]), want: "request-malformed" },
    { why: "100 lines", head: headOf(many(100)), want: undefined },
    { why: "101 lines", head: headOf(many(101)), want: "headers-too-large" },
    { why: "HTTP/2.0", head: headOf([HOST], { httpVersion: "2.0" }), want: "request-malformed" },
    { why: "HTTP/0.9", head: headOf([HOST], { httpVersion: "0.9" }), want: "request-malformed" },
    { why: "a method of RTSP", head: headOf([HOST], { method: "DESCRIBE" }), want: "request-malformed" },
    { why: "an escape", head: headOf([HOST], { url: "/v1/daos/%2f%00" }), want: undefined },
    { why: "an escape that is none", head: headOf([HOST], { url: "/v1/%zz" }), want: "request-malformed" },
    { why: "broken UTF-8", head: headOf([HOST], { url: "/v1/%c3%28?a" }), want: "request-malformed" },
    {
      why: "a query is for the endpoint to judge",
      head: headOf([HOST], { url: "/v1/daos?a=%zz" }),
      want: undefined,
    },
    { why: "no method", head: headOf([HOST], { method: undefined }), want: "request-malformed" },
    { why: "another method", head: headOf([HOST], { method: "PROPFIND" }), want: undefined },
    { why: "GET of length 0", head: headOf([HOST, ["Content-Length", "0"]]), want: undefined },
    { why: "GET of length 1", head: headOf([HOST, ["Content-Length", "1"]]), want: "request-malformed" },
    { why: "GET of length 00", head: headOf([HOST, ["Content-Length", "00"]]), want: "request-malformed" },
    {
      why: "GET in chunks",
      head: headOf([HOST, ["Transfer-Encoding", "chunked"]]),
      want: "request-malformed",
    },
    {
      why: "HEAD with a body",
      head: headOf([HOST, ["Content-Length", "2"]], { method: "HEAD" }),
      want: "request-malformed",
    },
    {
      why: "POST with a body",
      head: headOf([HOST, ["Content-Length", "2"]], { method: "POST" }),
      want: undefined,
    },
    {
      why: "POST in chunks",
      head: headOf([HOST, ["Transfer-Encoding", "Chunked"]], { method: "POST" }),
      want: undefined,
    },
    {
      why: "POST in a coding of its own",
      head: headOf([HOST, ["Transfer-Encoding", "xchunked"]], { method: "POST" }),
      want: "request-malformed",
    },
    {
      why: "POST in chunks of HTTP/1.0",
      head: headOf([["Transfer-Encoding", "chunked"]], { method: "POST", httpVersion: "1.0" }),
      want: "request-malformed",
    },
  ])("$why: $want", ({ head, want }) => {
    expect(transportFault(head)).toBe(want);
  });
});

describe("hasBody", () => {
  it.each([
    { why: "nothing said", headers: {}, want: false },
    { why: "length 0", headers: { "content-length": "0" }, want: false },
    { why: "length 1", headers: { "content-length": "1" }, want: true },
    { why: "in chunks", headers: { "transfer-encoding": "chunked" }, want: true },
  ])("$why: $want", ({ headers, want }) => {
    expect(hasBody({ headers })).toBe(want);
  });
});
