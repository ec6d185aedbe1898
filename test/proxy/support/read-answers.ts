/** One answer as it stood on the wire, read by rules of this file alone: no code of the server or of Node's parser. */
export interface WireAnswer {
  readonly version: string;
  readonly status: number;
  /** Names in lower case; a name that came twice is `duplicates`' business. */
  readonly headers: Readonly<Record<string, string>>;
  readonly duplicates: readonly string[];
  readonly bytes: Buffer;
}

/** What a connection gave back: answers, and what was wrong with the bytes where they are none. */
export interface WireReading {
  readonly answers: readonly WireAnswer[];
  /** Undefined where every byte belongs to a whole answer. */
  readonly fault: string | undefined;
}

const STATUS_LINE = /^HTTP\/(1\.[01]) ([1-5][0-9]{2}) ([\x20-\x7e]*)$/;
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\x20-\x7e]*)$/;
const LENGTH = /^(0|[1-9][0-9]{0,8})$/;
const HEAD_END = Buffer.from("\r\n\r\n");

/** Whether an answer has no body whatever its headers say (RFC 9112 §6.3). */
const isBodiless = (status: number, method: string | undefined) =>
  method === "HEAD" || status === 204 || status === 304 || status < 200;

/**
 * Reads the answers of one connection, in order. Only `Content-Length` frames a body here, as this server sends
 * nothing else; `methods` tells which requests were HEAD. Where that is unknown, an answer is one to HEAD if the next one,
 * or nothing at all, stands where its body should.
 */
export function readAnswers(bytes: Buffer, methods: readonly string[] | "unknown" = []): WireReading {
  const answers: WireAnswer[] = [];
  let offset = 0;
  while (offset < bytes.length) {
    const end = bytes.indexOf(HEAD_END, offset);
    if (end === -1) return { answers, fault: "a head without an end" };
    const head = readHead(bytes.toString("latin1", offset, end));
    if (typeof head === "string") return { answers, fault: head };
    const from = end + HEAD_END.length;
    const method = methods === "unknown" ? guessMethod(bytes.subarray(from)) : methods[answers.length];
    const length = lengthOf(head, method);
    if (length === undefined) return { answers, fault: "a body without a length" };
    if (from + length > bytes.length) return { answers, fault: "a body shorter than its length" };
    answers.push({ ...head, bytes: bytes.subarray(from, from + length) });
    offset = from + length;
  }
  return { answers, fault: undefined };
}

/** No body of this server begins like an answer. */
function guessMethod(rest: Buffer): string {
  return rest.length === 0 || rest.toString("latin1", 0, 7) === "HTTP/1." ? "HEAD" : "GET";
}

type Head = Omit<WireAnswer, "bytes">;

function readHead(text: string): Head | string {
  const [first = "", ...lines] = text.split("\r\n");
  const start = STATUS_LINE.exec(first);
  if (start === null) return "no status line";
  const headers: Record<string, string> = Object.create(null);
  const duplicates: string[] = [];
  for (const line of lines) {
    const match = HEADER_LINE.exec(line);
    if (match === null) return "a line that is no header";
    const name = (match[1] ?? "").toLowerCase();
    if (name in headers) duplicates.push(name);
    headers[name] = match[2] ?? "";
  }
  return { version: start[1] ?? "", status: Number(start[2]), headers: { ...headers }, duplicates };
}

function lengthOf({ status, headers }: Head, method: string | undefined): number | undefined {
  if (headers["transfer-encoding"] !== undefined) return undefined;
  if (isBodiless(status, method)) return 0;
  const text = headers["content-length"];
  return text !== undefined && LENGTH.test(text) ? Number(text) : undefined;
}
