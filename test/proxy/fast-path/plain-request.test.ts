import type { IncomingMessage } from "node:http";
import { describe, expect, it } from "vitest";
import { isPlainTarget, plainRequest } from "../../../proxy/fast-path/plain-request.ts";

const requestOf = (method: string, ...rawHeaders: string[]) => ({ method, rawHeaders }) as IncomingMessage;
const NOTHING = { acceptEncoding: undefined, ifNoneMatch: undefined };

describe("plainRequest", () => {
  it.each([
    { why: "nothing said", headers: [], want: NOTHING },
    { why: "an encoding", headers: ["Accept-Encoding", "br"], want: { ...NOTHING, acceptEncoding: "br" } },
    { why: "in any case", headers: ["ACCEPT-ENCODING", "br"], want: { ...NOTHING, acceptEncoding: "br" } },
    { why: "an empty one", headers: ["accept-encoding", ""], want: { ...NOTHING, acceptEncoding: "" } },
    { why: "a tag", headers: ["If-None-Match", '"x"'], want: { ...NOTHING, ifNoneMatch: '"x"' } },
    {
      why: "both, among others",
      headers: [
        "Host",
        "a",
        "If-None-Match",
        '"x"',
        "x-api-key",
        "k",
        "Accept-Encoding",
        "gzip",
        "Cookie",
        "c",
      ],
      want: { acceptEncoding: "gzip", ifNoneMatch: '"x"' },
    },
    {
      why: "names of the same lengths, and a value that is one of the names",
      headers: ["Cookie", "origin", "If-Unmodified", "if-none-match", "Accept-Language", "accept-encoding"],
      want: NOTHING,
    },
  ])("reads a GET: $why", ({ headers, want }) => {
    expect(plainRequest(requestOf("GET", ...headers))).toEqual(want);
  });

  it.each([
    { why: "HEAD", request: requestOf("HEAD") },
    { why: "POST", request: requestOf("POST") },
    { why: "a page's origin", request: requestOf("GET", "Origin", "https://app.example.org") },
    { why: "an empty origin", request: requestOf("GET", "origin", "") },
    { why: "two encodings", request: requestOf("GET", "accept-encoding", "br", "Accept-Encoding", "gzip") },
    {
      why: "an empty one and another",
      request: requestOf("GET", "accept-encoding", "", "accept-encoding", "br"),
    },
    { why: "two tags", request: requestOf("GET", "if-none-match", '"a"', "If-None-Match", '"b"') },
  ])("leaves to the router: $why", ({ request }) => {
    expect(plainRequest(request)).toBeUndefined();
  });
});

describe("isPlainTarget", () => {
  it.each([
    { target: "/v1/daos", isPlain: true },
    { target: "/v1/daos/", isPlain: true },
    { target: "/v1/daos/aave.eth/delegates?limit=100&tier=T1", isPlain: true },
    { target: "/v1/daos/s:odd~name_1/risk", isPlain: true },
    { target: "/v1/daos?", isPlain: true },
    { target: `/v1/${"x".repeat(255)}?${"y".repeat(255)}`, isPlain: true },
    { target: `/v1/${"x".repeat(256)}`, isPlain: false },
    { target: `/v1/x?${"y".repeat(256)}`, isPlain: false },
    { target: "/v1/", isPlain: false },
    { target: "/v1", isPlain: false },
    { target: "/v1x/daos", isPlain: false },
    { target: "/V1/daos", isPlain: false },
    { target: "/healthz", isPlain: false },
    { target: "//v1/daos", isPlain: false },
    { target: "http://localhost/v1/daos", isPlain: false },
    { target: "/v1/d%61os", isPlain: false },
    { target: "/v1/daos/%zz", isPlain: false },
    { target: "/v1/daos?category=%64efi", isPlain: false },
    { target: "/v1/daos#top", isPlain: false },
    { target: "/v1/daos?a?b", isPlain: false },
    { target: "/v1/daos;x", isPlain: false },
    { target: "/v1/daos\\x", isPlain: false },
    { target: "", isPlain: false },
    { target: "*", isPlain: false },
  ])("$target: $isPlain", ({ target, isPlain }) => {
    expect(isPlainTarget(target)).toBe(isPlain);
  });
});
