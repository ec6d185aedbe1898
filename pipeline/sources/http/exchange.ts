import { isUtf8 } from "node:buffer";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { Agent, type Dispatcher } from "undici";
import { parseUrl } from "../../facts/upstream-text.ts";
import { jsonExcess } from "../upstream/json-excess.ts";
import { faultOfError, HttpFault } from "./http-fault.ts";
import type { HttpSettings } from "./http-settings.ts";

/** An answer whose body was JSON, or a 413; sources decide what a status means to them. */
export interface JsonAnswer {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** `undefined` when a 413 came without JSON, or stands for an answer past our caps. */
  readonly body: unknown;
}

/** What one attempt sends: the same bytes at every attempt. */
interface Sending {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The encodings we ask for, and undo ourselves, so that we count what comes out. */
export const ACCEPTED_ENCODINGS = "gzip, deflate, br";

/** Of an answer nobody reads, as much is taken as lets its connection be used again. */
const DUMPED_BYTES_MAX = 64 * 1024;

/** Opens the pool of connections. This is the one file of the sources that knows undici. */
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
    const { statusCode: status, body } = answer;
    const headers = flatHeaders(answer.headers);
    const fault = faultOfStatus(status, headers, origin, nowMs());
    if (fault !== undefined) {
      await body.dump({ limit: DUMPED_BYTES_MAX });
      throw fault;
    }
    const bytes = await readBody(
      unpacked(body, headers["content-encoding"]),
      settings.responseBytesMax,
      onBytes,
    );
    return { status, headers, body: parseBody(bytes, status, settings) };
  }

  return {
    /** One POST on kept connections, without any repeating. Throws `HttpFault`. */
    async post(sending: Sending): Promise<JsonAnswer> {
      const signal = AbortSignal.timeout(settings.attemptTimeoutMs);
      try {
        return await attempt(sending, signal);
      } catch (error) {
        throw signal.aborted ? new HttpFault("passing", "took too long for one answer") : faultOfError(error);
      }
    },
    /** What is still under way fails. */
    close: () => agent.destroy(),
  };
}

function flatHeaders(headers: Dispatcher.ResponseData["headers"]): Readonly<Record<string, string>> {
  const flat: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat.push([name, Array.isArray(value) ? value.join(", ") : value]);
  }
  return Object.fromEntries(flat);
}

/** The fault that a status is by itself, whatever the body says; `undefined` for those whose body decides. */
function faultOfStatus(
  status: number,
  headers: Readonly<Record<string, string>>,
  origin: string,
  nowMs: number,
): HttpFault | undefined {
  if (status >= 300 && status < 400) return faultOfRedirect(status, headers["location"], origin);
  const isRateLimit = status === 429;
  if (!isRateLimit && status !== 408 && status < 500) return undefined;
  const kind = status === 500 ? "server" : "passing";
  const options = { isRateLimit, retryAfterMs: retryAfterMs(headers["retry-after"], nowMs) };
  return new HttpFault(kind, `answered ${status}`, options);
}

/** No redirect is followed: the address is ours to write down, and another one would get our key. */
function faultOfRedirect(status: number, location: string | undefined, origin: string): HttpFault {
  const url = location === undefined ? undefined : parseUrl(location, origin);
  if (url === undefined) return new HttpFault("final", `answered ${status}`);
  const isSameOrigin = url.origin === origin;
  const where = isSameOrigin ? "another address of its own" : "another host";
  return new HttpFault("final", `redirects to ${where} (${status}), and redirects are not followed`);
}

const SECONDS = /^\d{1,9}$/;
/** The only form a server may still write (RFC 9110); `Date.parse` alone would take much more. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** How long a `Retry-After` (seconds or an HTTP date) asks us to wait; `undefined` when it asks nothing we can read. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  const text = header?.trim() ?? "";
  if (SECONDS.test(text)) return Number(text) * 1000;
  if (!HTTP_DATE.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** The bytes of an unpacked body. What grows past the cap is left where it is, and the connection with it. */
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
  // Also several at once: each layer multiplies what a small answer can grow to.
  if (decoder === undefined) {
    body.on("error", () => {}).destroy();
    throw new HttpFault("final", "packed its answer in a way that nobody asked for");
  }
  // Both ends fail together; whoever reads the decoder hears of it.
  return pipeline(body, decoder, () => {});
}

/** A body as JSON. Throws `HttpFault`: garbled when a success is not JSON, final when a refusal is not, or it holds too much. */
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
    // The page of a proxy in front of a node: too much was asked for at once.
    if (status === 413) return undefined;
    if (status < 300) throw new HttpFault("garbled", `answered ${status} with something that is not JSON`);
    throw new HttpFault("final", `answered ${status}`);
  }
}
