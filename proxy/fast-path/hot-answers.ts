import type { EncodedBody } from "../request/answer.ts";
import { type QuotaStanding, quotaHeaders, REVALIDATE, standardHeaders } from "../request/headers.ts";
import type { ContentEncoding } from "../request/negotiate.ts";

/** Header lines as Node takes them: name, value, name, value … */
export type HeaderLines = string[];

/** A whole answer as Node takes it. */
export interface HotAnswer {
  readonly lines: HeaderLines;
  /** The bytes of the body, or the same bytes as a latin1 string, or nothing. */
  readonly body: Buffer | string | undefined;
}

/** So short a body leaves in one write with its headers when it is a string, which costs a tenth less; a longer one is copied too much. */
const TEXT_BYTES_MAX = 4_096;

/** What of a body's headers never changes. */
interface ReadyHeaders {
  /** Up to the request's id, which is the last of these values. */
  readonly head: HeaderLines;
  /** What follows the quota headers of a 200, and of a 304. */
  readonly tail: readonly string[];
  readonly tailOfNotModified: readonly string[];
  readonly body: Buffer | string;
}

const flat = (headers: Readonly<Record<string, string>>): HeaderLines => Object.entries(headers).flat();

/** Puts together the very lines, in the very order, that the router's way gives a body that may be kept. */
export function createHotAnswers(hasCorsOrigins: boolean) {
  const ready = new WeakMap<EncodedBody, ReadyHeaders>();
  // One origin stands for all: only whether there are any shows in the headers of a request that names none.
  const corsOrigins: ReadonlySet<string> = new Set(hasCorsOrigins ? [""] : []);
  const head = flat({
    ...standardHeaders({ requestId: "", origin: undefined, corsOrigins }),
    "cache-control": REVALIDATE,
  });
  // Also where another header is added to all answers one day, the id must be filled in where it stands.
  const idAt = head.indexOf("x-request-id") + 1;

  const readyFor = (body: EncodedBody, encoding: ContentEncoding, snapshotVersion: string): ReadyHeaders => {
    const known = ready.get(body);
    if (known !== undefined) return known;
    const tailOfNotModified = flat({ "x-snapshot-version": snapshotVersion, etag: body.etag });
    const encoded = encoding === "identity" ? [] : ["content-encoding", encoding];
    const tail = [...tailOfNotModified, ...encoded, "content-length", String(body.bytes.length)];
    const { bytes } = body;
    const sent = bytes.length <= TEXT_BYTES_MAX ? bytes.toString("latin1") : bytes;
    const made = { head, tail, tailOfNotModified, body: sent };
    ready.set(body, made);
    return made;
  };

  return (answer: {
    readonly body: EncodedBody;
    readonly encoding: ContentEncoding;
    readonly snapshotVersion: string;
    readonly requestId: string;
    readonly standing: QuotaStanding;
    readonly isNotModified: boolean;
  }): HotAnswer => {
    const known = readyFor(answer.body, answer.encoding, answer.snapshotVersion);
    const lines = known.head.slice();
    lines[idAt] = answer.requestId;
    const quota = quotaHeaders(answer.standing);
    for (const name in quota) lines.push(name, quota[name as keyof typeof quota] ?? "");
    for (const line of answer.isNotModified ? known.tailOfNotModified : known.tail) lines.push(line);
    return { lines, body: answer.isNotModified ? undefined : known.body };
  };
}
