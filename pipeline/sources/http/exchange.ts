import { isUtf8 } from "node:buffer";
import { pipeline, type Readable, type Transform } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { Agent, type Dispatcher } from "undici";
import { parseUrl } from "../../facts/upstream-text.ts";
import { jsonExcess } from "../upstream/parse-values.ts";
import { faultOfError, type HttpFailure, httpFault } from "./http-fault.ts";
import type { HttpSettings } from "./http-settings.ts";

/** A JSON answer, or a 413; each source decides what a status means. */
export interface JsonAnswer {
  readonly status: number;
  /** `undefined` for a 413 without JSON, or one that stands for an answer over our limits. */
  readonly body: unknown;
}

interface Exchanged extends JsonAnswer {
  /** What a 500 is unless its body says more. */
  readonly fault: HttpFailure | undefined;
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
  effects: {
    readonly nowMs: () => number;
    readonly onBytes: (count: number) => void;
    readonly onAllowance: (origin: string, allowance: Allowance) => void;
  },
) {
  const agent = new Agent({
    connections: settings.concurrencyMax,
    connect: { timeout: settings.connectTimeoutMs },
    headersTimeout: settings.headersTimeoutMs,
    bodyTimeout: settings.bodyTimeoutMs,
  });

  async function attempt({ url, ...sent }: Sending, signal: AbortSignal): Promise<Exchanged> {
    const { origin, pathname, search } = url;
    const answer = await agent.request({ origin, path: pathname + search, method: "POST", ...sent, signal });
    const { statusCode: status, body, headers } = answer;
    effects.onAllowance(origin, allowanceOf(headers));
    const fault = faultOfStatus(status, headers, origin, effects.nowMs());
    if (fault !== undefined && fault.data.kind !== "server") {
      await body.dump({ limit: DUMPED_BYTES_MAX });
      throw fault;
    }
    const decoded = unpacked(body, headerOf(headers, "content-encoding"));
    const bytes = await readBody(decoded, settings.responseBytesMax, effects.onBytes);
    return { status, body: parseBody(bytes, status, settings, fault), fault };
  }

  return {
    /** Sends one POST, without retries. Throws `HttpFailure`. */
    async post(sending: Sending): Promise<Exchanged> {
      const signal = AbortSignal.timeout(settings.attemptTimeoutMs);
      try {
        return await attempt(sending, signal);
      } catch (error) {
        throw signal.aborted
          ? httpFault("passing", "took too long for one answer", { mayBeTooMuch: true })
          : faultOfError(error);
      }
    },
    close: () => agent.destroy(),
  };
}

/** The fault for a status that is a failure regardless of the body; `undefined` if the body decides. */
function faultOfStatus(
  status: number,
  headers: Headers,
  origin: string,
  nowMs: number,
): HttpFailure | undefined {
  if (status >= 300 && status < 400) return faultOfRedirect(status, headerOf(headers, "location"), origin);
  const isRateLimit = status === 429;
  if (!isRateLimit && status !== 408 && status < 500) return undefined;
  return httpFault(status === 500 ? "server" : "passing", `answered ${status}`, {
    isRateLimit,
    retryAfterMs: retryAfterMs(headers, nowMs),
    mayBeTooMuch: !isRateLimit,
  });
}

/** Redirects are not followed: the URL is ours to configure, and another host would receive our key. */
function faultOfRedirect(status: number, location: string | undefined, origin: string): HttpFailure {
  const url = location === undefined ? undefined : parseUrl(location, origin);
  if (url === undefined) return httpFault("final", `answered ${status}`);
  const where = url.origin === origin ? "another address of its own" : "another host";
  return httpFault("final", `redirects to ${where} (${status}), and redirects are not followed`);
}

/** Reads a decoded body. A body over the limit is abandoned, together with its connection. */
async function readBody(body: Readable, bytesMax: number, onBytes: (count: number) => void): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    onBytes(chunk.byteLength);
    if (bytes > bytesMax) throw httpFault("final", `sent more than ${bytesMax} bytes`, { isTooMuch: true });
    chunks.push(chunk);
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
    throw httpFault("final", "used an unsupported content-encoding");
  }
  // Errors of both streams reach the reader of the decoder.
  return pipeline(body, decoder, () => {});
}

/** A firewall that tests its visitors answers with a page, which a browser would pass; it lets us through again later. */
const PAGE = /^\s*</;

/**
 * Parses a body. Throws `HttpFailure` for one that is not JSON: `fault` if the status is one, passing for a page,
 * garbled for another success, final for another error; and final for one that is too large.
 */
function parseBody(
  bytes: Buffer,
  status: number,
  { jsonDepthMax: depthMax, jsonValuesMax: valuesMax }: HttpSettings,
  fault: HttpFailure | undefined,
): unknown {
  const text = isUtf8(bytes) ? bytes.toString("utf8") : "";
  const excess = jsonExcess(text, { depthMax, valuesMax });
  if (excess !== undefined) {
    const isTooMuch = jsonExcess(text, { depthMax }) === undefined;
    throw httpFault("final", `sent an answer that ${excess}`, { isTooMuch });
  }
  try {
    return JSON.parse(text);
  } catch {
    // An HTML page of a proxy in front of a node: the request was too large.
    if (status === 413) return undefined;
    if (fault !== undefined) throw fault;
    const isSuccess = status < 300;
    if ((isSuccess || status === 403) && PAGE.test(text)) {
      throw httpFault("passing", `answered ${status} with a web page`);
    }
    if (!isSuccess) throw httpFault("final", `answered ${status}`);
    throw httpFault("garbled", `answered ${status} with something that is not JSON`, {
      mayBeTooMuch: true,
    });
  }
}

type Headers = Dispatcher.ResponseData["headers"];

/** A header's text; several of one name are joined. */
function headerOf(headers: Headers, name: string): string | undefined {
  return headers[name]?.toString();
}

const DIGITS = /^\d{1,9}$/;

function countOf(headers: Headers, name: string): number | undefined {
  const text = headerOf(headers, name)?.trim() ?? "";
  return DIGITS.test(text) ? Number(text) : undefined;
}

/** The only date format that servers may still send (RFC 9110); `Date.parse` alone would accept many more. */
const HTTP_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;

/** Milliseconds of a `Retry-After` header (seconds or HTTP date); `undefined` if missing or unreadable. */
function retryAfterMs(headers: Headers, nowMs: number): number | undefined {
  const seconds = countOf(headers, "retry-after");
  if (seconds !== undefined) return seconds * 1000;
  const text = headerOf(headers, "retry-after")?.trim() ?? "";
  if (!HTTP_DATE.test(text)) return undefined;
  const atMs = Date.parse(text);
  return Number.isNaN(atMs) ? undefined : Math.max(0, atMs - nowMs);
}

/** What an origin says about the requests that it will still accept. */
interface Allowance {
  /** Until its window ends, if this was the last request of the window. */
  readonly pauseMs: number | undefined;
  /** Requests left to our key, in the months or days that keys are counted by. */
  readonly keyRemaining: number | undefined;
}

/** Reads `RateLimit-Remaining` and `-Reset` (seconds), and `X-Api-Key-Remaining` of a key that has a limit. */
function allowanceOf(headers: Headers): Allowance {
  const isUsedUp = countOf(headers, "ratelimit-remaining") === 0;
  const isLimited = countOf(headers, "x-api-key-limit") !== 0;
  return {
    pauseMs: isUsedUp ? 1000 * (countOf(headers, "ratelimit-reset") ?? 0) : undefined,
    keyRemaining: isLimited ? countOf(headers, "x-api-key-remaining") : undefined,
  };
}
