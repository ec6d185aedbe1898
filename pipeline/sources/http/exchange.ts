import { isUtf8 } from "node:buffer";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { Agent, type Dispatcher } from "undici";
import { parseUrl } from "../../facts/upstream-text.ts";
import { jsonExcess } from "../upstream/json-excess.ts";
import { faultOfError, HttpFault } from "./http-fault.ts";
import type { HttpSettings } from "./http-settings.ts";

/** A JSON answer, or a 413; each source decides what a status means. */
export interface JsonAnswer {
  readonly status: number;
  /** `undefined` for a 413 without JSON, or one that stands for an answer over our limits. */
  readonly body: unknown;
}

interface Sending {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The encodings that we accept and decode ourselves, so that decoded bytes are counted. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

/** Bytes of an unused answer that are read so that its connection can be reused. */
const DUMPED_BYTES_MAX = 64 * 1024;

/** Opens the connection pool. Only this file of the sources uses undici. */
export function createExchange(
  settings: HttpSettings,
  { nowMs, onBytes }: { readonly nowMs: () => number; readonly onBytes: (count: number) => void },
) {
  const agent = new Agent({
    connections: settings.concurrencyMax,
    connect: { timeout: settings.connectTimeoutMs },
    headersTimeout: settings.headersTimeoutMs,
    bodyTimeout: settings.bodyTimeoutMs,
  });

  async function attempt({ url, ...sent }: Sending, signal: AbortSignal): Promise<JsonAnswer> {
    const { origin, pathname, search } = url;
    const answer = await agent.request({ origin, path: pathname + search, method: "POST", ...sent, signal });
    const { statusCode: status, body, headers } = answer;
    const fault = faultOfStatus(status, headers, origin, nowMs());
    if (fault !== undefined) {
      await body.dump({ limit: DUMPED_BYTES_MAX });
      throw fault;
    }
    const bytes = await readBody(
      unpacked(body, headerOf(headers, "content-encoding")),
      settings.responseBytesMax,
      onBytes,
    );
    return { status, body: parseBody(bytes, status, settings) };
  }

  return {
    /** Sends one POST, without retries. Throws `HttpFault`. */
    async post(sending: Sending): Promise<JsonAnswer> {
      const signal = AbortSignal.timeout(settings.attemptTimeoutMs);
      try {
        return await attempt(sending, signal);
      } catch (error) {
        throw signal.aborted ? new HttpFault("passing", "took too long for one answer") : faultOfError(error);
      }
    },
    /** Closes all connections; pending requests fail. */
    close: () => agent.destroy(),
  };
}

type Headers = Dispatcher.ResponseData["headers"];

function headerOf(headers: Headers, name: string): string | undefined {
  return headers[name]?.toString();
}

/** The fault for a status that is a failure regardless of the body; `undefined` if the body decides. */
function faultOfStatus(
  status: number,
  headers: Headers,
  origin: string,
  nowMs: number,
): HttpFault | undefined {
  if (status >= 300 && status < 400) return faultOfRedirect(status, headerOf(headers, "location"), origin);
  const isRateLimit = status === 429;
  if (!isRateLimit && status !== 408 && status < 500) return undefined;
  const kind = status === 500 ? "server" : "passing";
  const options = { isRateLimit, retryAfterMs: retryAfterMs(headerOf(headers, "retry-after"), nowMs) };
  return new HttpFault(kind, `answered ${status}`, options);
}

/** Redirects are not followed: the URL is ours to configure, and another host would receive our key. */
function faultOfRedirect(status: number, location: string | undefined, origin: string): HttpFault {
  const url = location === undefined ? undefined : parseUrl(location, origin);
  if (url === undefined) return new HttpFault("final", `answered ${status}`);
  const isSameOrigin = url.origin === origin;
  const where = isSameOrigin ? "another address of its own" : "another host";
  return new HttpFault("final", `redirects to ${where} (${status}), and redirects are not followed`);
}

const SECONDS = /^\d{1,9}$/;
/** The only date format that servers may still send (RFC 9110); `Date.parse` alone would accept many more. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Milliseconds of a `Retry-After` header (seconds or HTTP date); `undefined` if missing or unreadable. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (SECONDS.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** Reads a decoded body. A body over the limit is abandoned, together with its connection. */
async function readBody(body: Readable, bytesMax: number, onBytes: (count: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const part: Buffer = chunk;
    bytes += part.byteLength;
    onBytes(part.byteLength);
    if (bytes > bytesMax) {
      throw new HttpFault("final", `sent more than ${bytesMax} bytes`, { isTooMuch: true });
    }
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}

const DECODERS = new Map<string, () => Transform>([
  ["gzip", createGunzip],
  ["x-gzip", createGunzip],
  ["deflate", createInflate],
  ["br", createBrotliDecompress],
]);

function unpacked(body: Readable, encoding = ""): Readable {
  const name = encoding.trim().toLowerCase();
  if (name === "" || name === "identity") return body;
  const decoder = DECODERS.get(name)?.();
  // Nested encodings are refused too: each layer multiplies the size that a small answer can grow to.
  if (decoder === undefined) {
    body.on("error", () => {}).destroy();
    throw new HttpFault("final", "used an unsupported content-encoding");
  }
  // Errors of both streams reach the reader of the decoder.
  return pipeline(body, decoder, () => {});
}

/** Parses a body. Throws `HttpFault`: garbled if a success is not JSON; final if an error is not, or is too large. */
function parseBody(bytes: Buffer, status: number, settings: HttpSettings): unknown {
  const text = isUtf8(bytes) ? bytes.toString("utf8") : "";
  const depthMax = settings.jsonDepthMax;
  const excess = jsonExcess(text, { depthMax, valuesMax: settings.jsonValuesMax });
  if (excess !== undefined) {
    const isTooMuch = jsonExcess(text, { depthMax }) === undefined;
    throw new HttpFault("final", `sent an answer that ${excess}`, { isTooMuch });
  }
  try {
    return JSON.parse(text);
  } catch {
    // An HTML page of a proxy in front of a node: the request was too large.
    if (status === 413) return undefined;
    if (status < 300) throw new HttpFault("garbled", `answered ${status} with something that is not JSON`);
    throw new HttpFault("final", `answered ${status}`);
  }
}
