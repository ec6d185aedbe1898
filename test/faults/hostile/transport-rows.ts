import type { ServerResponse } from "node:http";
import { brotliCompressSync, constants, deflateSync, gzipSync } from "node:zlib";

/** Something a server does to whoever asks it, whatever it was asked. */
export interface TransportRow {
  readonly name: string;
  readonly why: string;
  send(response: ServerResponse): void;
  /** A part of what is said of it, by both sources. */
  readonly says: string | RegExp;
  /** Requests after which it is given up, by source where they differ. */
  readonly requests: number | { readonly hub: number; readonly node: number };
  /** It takes its time, of which it is given little. */
  readonly isSlow?: boolean;
}

/** An answer that would be JSON; the key in it must be shown to nobody. */
export const JSON_HEAD = { "content-type": "application/json", "x-echo": "secret-key" };
/** The head of one on the bare connection, still open. */
export const OK = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";

/** A whole answer, as servers write it. */
export function sendBody(body: string | Buffer, head: Record<string, string> = {}, status = 200) {
  return (response: ServerResponse) => void response.writeHead(status, { ...JSON_HEAD, ...head }).end(body);
}

/** Bytes on the bare connection, as no server of HTTP would write them. */
export function sendBytes(...parts: readonly (string | Buffer)[]) {
  return ({ socket }: ServerResponse) => {
    for (const part of parts) socket?.write(part);
    socket?.end();
  };
}

/** The same bytes again and again, as fast as they are taken and no faster, until the other side leaves. */
export function sendForEver(first: string, again: string) {
  return ({ socket }: ServerResponse) => {
    const more = () => {
      while (socket?.writable === true && socket.write(again));
    };
    socket?.on("error", () => {}).on("drain", more);
    socket?.write(first);
    more();
  };
}

/** One byte every few milliseconds: never silent, never done. */
export function drip(first: string, byte: string) {
  return ({ socket }: ServerResponse) => {
    socket?.write(first);
    const timer = setInterval(() => socket?.write(byte), 20);
    socket?.on("error", () => {}).on("close", () => clearInterval(timer));
  };
}

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

const TOO_LONG = "x".repeat(64 * 1024);

/** Heads, statuses and connections. */
export const HEAD_ROWS: readonly TransportRow[] = [
  {
    name: "endless headers",
    why: "they are kept until the last one",
    send: sendForEver("HTTP/1.1 200 OK\r\n", `x-more: ${"x".repeat(1_000)}\r\n`),
    says: "headers that are too long",
    requests: 1,
  },
  {
    name: "endless trailers",
    why: "headers again, after the body",
    send: sendForEver(
      `${OK}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n`,
      `x-more: ${"x".repeat(1_000)}\r\n`,
    ),
    says: "headers that are too long",
    requests: 1,
  },
  {
    name: "headers that drip",
    why: "a byte at a time",
    send: drip("HTTP/1.1 200 OK\r\nx-more: ", "x"),
    says: "took too long for one answer",
    requests: 2,
    isSlow: true,
  },
  {
    name: "a Retry-After of a megabyte",
    why: "longer than any head",
    send: sendForEver("HTTP/1.1 429 Too Many Requests\r\nretry-after: ", TOO_LONG),
    says: "headers that are too long",
    requests: 1,
  },
  ...[
    { name: "of a day", value: "86400", says: "longer than our limit of 120 s", requests: 1 },
    { name: "of 24 digits", value: "9".repeat(24), says: "answered 429", requests: 2 },
    { name: "of 60,000 digits", value: "9".repeat(60_000), says: "headers that are too long", requests: 1 },
    { name: "in the past", value: "Sun, 06 Nov 1994 08:49:37 GMT", says: "answered 429", requests: 2 },
    { name: "in a hundred years", value: "Sun, 06 Nov 2094 08:49:37 GMT", says: "longer than", requests: 1 },
    { name: "below nothing", value: "-1", says: "answered 429", requests: 2 },
    { name: "in words", value: "__proto__", says: "answered 429", requests: 2 },
  ].map(({ name, value, says, requests }) => ({
    name: `a storm of 429 with a Retry-After ${name}`,
    why: "nobody waits for ever, and nobody comes back at once",
    send: sendBody(
      '{"error":"unauthorized","error_description":"secret-key"}',
      { "retry-after": value },
      429,
    ),
    says,
    requests,
  })),
  {
    name: "500 with GraphQL, as for a bad variable",
    why: "it looks as if it passed, and does not",
    send: sendBody('{"errors":[{"message":"Variable of a wrong type"}]}', {}, 500),
    says: /answered 500|refused the query: Variable of a wrong type/,
    // What a hub says is final; a node says nothing in this form.
    requests: { hub: 1, node: 2 },
  },
  ...[
    { name: "to itself, a loop", location: "/", says: "another address of its own" },
    { name: "to another host", location: "https://other.example/secret-key", says: "another host" },
    { name: "to plain http", location: "http://other.example/secret-key", says: "another host" },
    { name: "to a file", location: "file:///etc/passwd", says: "another host" },
    { name: "to nowhere", location: "http://[", says: "answered 307" },
  ].map(({ name, location, says }) => ({
    name: `a redirect ${name}`,
    why: "none is followed",
    send: sendBody("", { location }, 307),
    says,
    requests: 1,
  })),
  {
    name: "headers with names that every object has",
    why: "`constructor` is a word like others",
    send: sendBytes(
      `HTTP/1.1 302 Found\r\n__proto__: a\r\nconstructor: b\r\ntoString: c\r\nhasOwnProperty: d\r\nlocation: /\r\ncontent-length: 0\r\n\r\n`,
    ),
    says: "another address of its own",
    requests: 1,
  },
  {
    name: "something that is not HTTP",
    why: "another service listens there",
    send: sendBytes("SSH-2.0-secret-key\r\n\r\n"),
    says: "not HTTP",
    requests: 2,
  },
  {
    name: "a connection that ends",
    why: "the process was killed",
    send: ({ socket }) => void socket?.destroy(),
    says: "closed the connection",
    requests: 2,
  },
  {
    name: "no answer at all",
    why: "whoever waits must stop",
    send: () => {},
    says: "took too long for one answer",
    requests: 2,
    isSlow: true,
  },
  {
    name: "promises of an answer, for ever",
    why: "103 again and again is no answer",
    send: sendForEver("", "HTTP/1.1 103 Early Hints\r\nlink: x\r\n\r\n"),
    says: "took too long for one answer",
    requests: 2,
    isSlow: true,
  },
];
