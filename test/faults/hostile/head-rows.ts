import { drip, OK, sendBody, sendBytes, sendForEver, type TransportRow } from "./transport-row.ts";

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
