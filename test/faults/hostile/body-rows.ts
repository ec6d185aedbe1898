import type { ServerResponse } from "node:http";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";
import { drip, JSON_HEAD, OK, sendBody, sendBytes, sendForEver, type TransportRow } from "./transport-row.ts";

const SPACES = 64 * 1024 * 1024;
const TOO_MUCH = /answer is too large|with code 413/;
const once = <Value>(make: () => Value) => {
  let made: { readonly value: Value } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};
const blank = () => Buffer.alloc(SPACES, " ");
const fast = { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } };
const bombs = {
  gzip: once(() => gzipSync(blank())),
  deflate: once(() => deflateSync(blank())),
  br: once(() => brotliCompressSync(blank(), fast)),
};

/** Bodies that grow, do not end, or are not what they say. */
export const BODY_ROWS: readonly TransportRow[] = [
  ...(["gzip", "deflate", "br"] as const).map((encoding) => ({
    name: `a ${encoding} bomb`,
    why: "64 MB out of 64 kB",
    send: (response: ServerResponse) =>
      sendBody(bombs[encoding](), { "content-encoding": encoding })(response),
    says: TOO_MUCH,
    requests: 1,
  })),
  {
    name: "an endless body",
    why: "no length, and no end",
    send: sendForEver(`${OK}\r\n`, " ".repeat(64 * 1024)),
    says: TOO_MUCH,
    requests: 1,
  },
  {
    name: "an endless chunked body",
    why: "chunks without a last one",
    send: sendForEver(`${OK}transfer-encoding: chunked\r\n\r\n`, `10000\r\n${" ".repeat(0x10000)}\r\n`),
    says: TOO_MUCH,
    requests: 1,
  },
  {
    name: "a body of ten million numbers",
    why: "twenty megabytes of text that become many times that",
    send: sendBody(`[${"1,".repeat(10_000_000)}1]`),
    says: TOO_MUCH,
    requests: 1,
  },
  {
    name: "a million lists",
    why: "an object each",
    send: sendBody(`[${"[],".repeat(1_000_000)}1]`),
    says: TOO_MUCH,
    requests: 1,
  },
  {
    name: "100,000 brackets",
    why: "whoever walks it by recursion ends there",
    send: sendBody("[".repeat(100_000) + "]".repeat(100_000)),
    says: "nested deeper than 64 levels",
    requests: 1,
  },
  {
    name: "100,000 brackets that never close",
    why: "no JSON at all, and refused before anybody tries",
    send: sendBody('{"a":'.repeat(100_000)),
    says: "nested deeper than 64 levels",
    requests: 1,
  },
  {
    name: "a body that drips",
    why: "a byte at a time is never silent",
    send: drip(`${OK}content-length: 100000\r\n\r\n`, " "),
    says: "took too long for one answer",
    requests: 2,
    isSlow: true,
  },
  {
    name: "a body that stops",
    why: "silence in the middle",
    send: (response) => void response.writeHead(200, JSON_HEAD).write('{"data":'),
    says: "took too long for one answer",
    requests: 2,
    isSlow: true,
  },
  {
    name: "a length that is too large",
    why: "the connection ends before it",
    send: sendBytes(`${OK}content-length: 1000\r\n\r\n{"data":{}}`),
    says: "closed the connection",
    requests: 2,
  },
  {
    name: "a length that is too small",
    why: "the rest is taken for another answer",
    send: sendBytes(`${OK}content-length: 4\r\n\r\n{"data":{"space":null}}`),
    says: "something that is not",
    requests: 2,
  },
  {
    name: "two lengths",
    why: "whoever sits between may read the other",
    send: sendBytes(`${OK}content-length: 2\r\ncontent-length: 23\r\n\r\n{"data":{"space":null}}`),
    says: "of another length than announced",
    requests: 2,
  },
  {
    name: "a chunk of impossible size",
    why: "past what a number holds",
    send: sendBytes(`${OK}transfer-encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFFF\r\n{}\r\n`),
    says: "not HTTP",
    requests: 2,
  },
  {
    name: "a cut gzip",
    why: "its end does not come",
    send: sendBody(gzipSync('{"data":{"space":null}}').subarray(0, 25), { "content-encoding": "gzip" }),
    says: "truncated",
    requests: 2,
  },
  {
    name: "gzip that is none",
    why: "a label is no promise",
    send: sendBody('{"data":{}}', { "content-encoding": "gzip" }),
    says: "cannot be decoded",
    requests: 2,
  },
  {
    name: "brotli that is none",
    why: "a label is no promise",
    send: sendBody(Buffer.alloc(40, 255), { "content-encoding": "br" }),
    says: "cannot be decoded",
    requests: 2,
  },
  {
    name: "zstd",
    why: "nobody asked for it",
    send: sendBody("{}", { "content-encoding": "zstd" }),
    says: "unsupported content-encoding",
    requests: 1,
  },
  {
    name: "gzip in gzip",
    why: "each layer multiplies",
    send: sendBody(gzipSync(gzipSync("{}")), { "content-encoding": "gzip, gzip" }),
    says: "unsupported content-encoding",
    requests: 1,
  },
  {
    name: "a page with status 200",
    why: "a firewall tests its visitors",
    send: sendBody("<!DOCTYPE html><h1>secret-key</h1>"),
    says: "answered 200 with a web page",
    requests: 2,
  },
  ...[
    { name: "nothing", body: "" },
    { name: "NaN", body: '{"data":{"space":NaN}}' },
    { name: "Infinity", body: '{"data":{"space":Infinity}}' },
    { name: "half a JSON", body: '{"data":{"space":' },
    { name: "a NUL", body: "\u0000" },
    { name: "bytes that are no text", body: Buffer.from([0x22, 0xff, 0xfe, 0x22]) },
  ].map(({ name, body }) => ({
    name: `${name} with status 200`,
    why: "it is not JSON",
    send: sendBody(body),
    says: "with something that is not JSON",
    requests: 2,
  })),
];
