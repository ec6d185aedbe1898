import { PipelineError } from "../../facts/errors.ts";
import { parseUrl } from "../../facts/upstream-text.ts";
import { ACCEPTED_ENCODINGS, createExchange, type JsonAnswer } from "./exchange.ts";
import { HttpFault } from "./http-fault.ts";
import { type GivenSettings, type HttpEffects, httpSettings, sleepOnTimer } from "./http-settings.ts";
import { createOriginQueue, type OriginQueue } from "./origin-queue.ts";
import { createRetryPolicy, mayBeTooMuch } from "./retry.ts";

/** One POST of JSON. Sources speak GraphQL and JSON-RPC; both are POST, and both may be repeated. */
interface JsonRequest {
  readonly url: string;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The source can ask for less. What may come of how much was asked for (no answer in time, a 5xx, a connection broken
   * off) is then answered as a 413 at its second time, instead of being tried again and again.
   */
  readonly canAskForLess?: boolean;
  /**
   * For a source that reports passing faults with status 200: what is wrong, continuing "<origin> …", where the body is
   * such a report. It is then tried again like a 503.
   */
  readonly passingFaultOf?: (body: unknown) => string | undefined;
}

/** Requests so far, for the run's report. */
export interface HttpCounters {
  readonly requests: number;
  readonly retries: number;
  /** Decompressed. */
  readonly bytes: number;
  readonly rateLimited: number;
}

/**
 * The only way to the network. It keeps to each origin's rate, retries what may pass, obeys `Retry-After`, stops at
 * its caps, and throws `PipelineError` SOURCE_FAILED with a sentence that names origin and reason, never a key.
 */
export interface HttpClient {
  /**
   * Resolves to any JSON answer that is no passing fault: 2xx and also 4xx with a JSON body. A 413 is resolved with any
   * body, since asking for less is what the source can do about it; an answer of more bytes or values than we take is
   * reported as a 413 too.
   */
  postJson(request: JsonRequest): Promise<JsonAnswer>;
  /** A copy of the counters; later requests do not change it. */
  counters(): HttpCounters;
  /** Ends what is still under way, which then fails, and closes every connection. */
  close(): Promise<void>;
}

/** The clock that requests are paced by, the program's version, and what a client allows itself where it is not the default. */
export interface HttpClientOptions extends Pick<HttpEffects, "nowMs">, Partial<Omit<HttpEffects, "nowMs">> {
  /** Goes into the `user-agent`. */
  readonly version: string;
  readonly settings?: GivenSettings;
}

/** How fast to ask each origin; what is left out takes the default. */
export type HttpPace = Pick<GivenSettings, "requestsPerMinute" | "concurrencyMax">;

/**
 * Opens a client. The retry loop is our own: undici's resumes a cut body of a POST with a `range` header, reads the whole
 * body of a failed answer before the next attempt, and knows nothing of a 200 that is not JSON.
 */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  // Chance spreads retries and decides nothing else.
  const { nowMs, sleep = sleepOnTimer, random = Math.random, version } = options;
  const settings = httpSettings(options.settings ?? {});
  const counted = { requests: 0, retries: 0, bytes: 0, rateLimited: 0 };
  const closing = new AbortController();
  const { signal } = closing;
  const queues = new Map<string, OriginQueue>();
  const onBytes = (count: number) => {
    counted.bytes += count;
  };
  const exchange = createExchange(settings, { nowMs, onBytes });

  async function ask(url: URL, request: JsonRequest) {
    const { headers = {}, body, canAskForLess = false, passingFaultOf } = request;
    const sending = { url, headers: requestHeaders(headers, version), body: JSON.stringify(body) };
    const queue = queues.get(url.origin) ?? createOriginQueue({ nowMs, sleep, settings, signal });
    queues.set(url.origin, queue);
    const decide = createRetryPolicy(settings, { canAskForLess, random });
    for (let attempt = 1; ; attempt += 1) {
      try {
        const answer = await queue.run(() => {
          counted.requests += 1;
          return exchange.post(sending);
        });
        const fault = answer.status < 300 ? passingFaultOf?.(answer.body) : undefined;
        if (fault === undefined) return answer;
        throw new HttpFault("passing", fault);
      } catch (error) {
        if (!(error instanceof HttpFault)) throw error;
        if (error.isRateLimit) counted.rateLimited += 1;
        const { waitMs, giveUp } = decide(error, attempt);
        if (giveUp !== undefined) {
          if (error.isTooMuch || (canAskForLess && mayBeTooMuch(error))) return TOO_MUCH;
          // Without a cause: undici's errors may hold what was sent or received.
          throw new PipelineError("SOURCE_FAILED", `${url.origin} ${giveUp}`);
        }
        // What an origin asks of one request holds for all of them.
        if (error.isRateLimit || (error.retryAfterMs ?? 0) > 0) queue.pause(waitMs);
        else await sleep(waitMs, signal);
        counted.retries += 1;
      }
    }
  }

  return {
    async postJson(request) {
      const url = requireAllowedUrl(request.url);
      try {
        return await ask(url, request);
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      }
    },
    counters: () => ({ ...counted }),
    async close() {
      closing.abort(new PipelineError("SOURCE_FAILED", "the network client was closed"));
      await exchange.close();
    },
  };
}

/** What an origin says that refuses so large an answer is what we say of one that sent more than we take. */
const TOO_MUCH: JsonAnswer = { status: 413, headers: {}, body: undefined };

/** The headers that the source gives, and over them our own. */
function requestHeaders(
  given: Readonly<Record<string, string>>,
  version: string,
): Readonly<Record<string, string>> {
  // Two spellings of one name would both be sent.
  const lowered = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    ...Object.fromEntries(lowered),
    accept: "application/json",
    "accept-encoding": ACCEPTED_ENCODINGS,
    "content-type": "application/json",
    "user-agent": `govdata/${version}`,
  };
}

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The address as a URL we may ask: https, or http on this machine. Throws SOURCE_FAILED and never quotes the address:
 * nodes of a chain carry their key in its path.
 */
export function requireAllowedUrl(address: string): URL {
  const url = parseUrl(address);
  if (url === undefined) throw new PipelineError("SOURCE_FAILED", "the address of a source is not a URL");
  if (url.username !== "" || url.password !== "") {
    throw new PipelineError("SOURCE_FAILED", `the address of ${url.host} holds a name or a password`, {
      hint: "Addresses end up in logs; give a key as a header instead.",
    });
  }
  if (url.protocol === "https:") return url;
  if (url.protocol === "http:" && LOOPBACK_HOST.test(url.hostname)) return url;
  throw new PipelineError("SOURCE_FAILED", `the address of ${url.host || "a source"} is not https`, {
    hint: "Plain http is allowed only to this machine (127.0.0.1, localhost).",
  });
}
