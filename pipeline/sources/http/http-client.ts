import { sourceFailed } from "../../facts/errors.ts";
import { parseUrl } from "../../facts/upstream-text.ts";
import { ACCEPTED_ENCODINGS, createExchange, type JsonAnswer } from "./exchange.ts";
import { type FaultKind, httpFault, isHttpFault } from "./http-fault.ts";
import {
  type GivenSettings,
  type HttpEffects,
  type HttpSettings,
  httpSettings,
  sleepOnTimer,
} from "./http-settings.ts";
import { createOriginHealth, createOriginQueue } from "./origin.ts";

/** One JSON POST. Sources use GraphQL and JSON-RPC, whose requests are POST and safe to repeat. */
interface JsonRequest {
  readonly url: string;
  readonly body: unknown;
  /** Called once, at the request's turn, for a body that depends on what waits by then; `body` is not used. */
  readonly late?: () => { readonly body: unknown; readonly canAskForLess: boolean };
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * The source can request less. A fault that may be due to the size of the request (timeout, 5xx, broken connection) is
   * then returned as a 413 after the second attempt, instead of being retried further.
   */
  readonly canAskForLess?: boolean;
  /**
   * For a source that says in the body what failed, with status 200 or 500: `undefined` if it says nothing. What passes,
   * as a text that continues "<origin> …", is retried as after a 503; with any other failure the answer is returned.
   */
  readonly failureOf?: (body: unknown) => { readonly passing: string | undefined } | undefined;
}

export interface HttpCounters {
  readonly requests: number;
  readonly retries: number;
  /** Decompressed. */
  readonly bytes: number;
  readonly rateLimited: number;
  /** The fewest that an origin left to our key; absent without a key that has a limit. */
  readonly keyRemaining?: number;
}

/**
 * The only access to the network. Keeps to each origin's rate, retries temporary faults, obeys `Retry-After`
 * and enforces limits. Throws `SOURCE_FAILED` with a message of origin and reason, never a key.
 */
export type HttpClient = ReturnType<typeof createHttpClient>;

/** The clock and the program's version; other effects and settings have defaults. */
export interface HttpClientOptions extends Pick<HttpEffects, "nowMs">, Partial<Omit<HttpEffects, "nowMs">> {
  readonly version: string;
  readonly settings?: GivenSettings;
}

/** Request rate per origin; missing values have defaults. */
export type HttpPace = Pick<GivenSettings, "requestsPerMinute" | "concurrencyMax">;

/**
 * Opens a client. It has its own retry loop, because undici's resumes a truncated POST body with a `range`
 * header, reads the whole body of a failed answer before retrying, and does not detect a 200 without JSON.
 */
export function createHttpClient(options: HttpClientOptions) {
  // Randomness only spreads retries.
  const { nowMs, sleep = sleepOnTimer, random = Math.random, version } = options;
  const settings = httpSettings(options.settings ?? {});
  const counted: { -readonly [Name in keyof HttpCounters]: HttpCounters[Name] } = {
    requests: 0,
    retries: 0,
    bytes: 0,
    rateLimited: 0,
  };
  const closing = new AbortController();
  const { signal } = closing;
  const origins = new Map<string, ReturnType<typeof openOrigin>>();
  const openOrigin = () => ({
    queue: createOriginQueue({ nowMs, sleep, settings, signal }),
    health: createOriginHealth(settings),
  });
  const originOf = (name: string) => {
    const origin = origins.get(name) ?? openOrigin();
    origins.set(name, origin);
    return origin;
  };
  const exchange = createExchange(settings, {
    nowMs,
    onBytes(count) {
      counted.bytes += count;
    },
    onAllowance(origin, { pauseMs, keyRemaining }) {
      if (pauseMs !== undefined) originOf(origin).queue.pause(Math.min(pauseMs, settings.retryAfterMaxMs));
      if (keyRemaining !== undefined) {
        counted.keyRemaining = Math.min(keyRemaining, counted.keyRemaining ?? Infinity);
      }
    },
  });

  async function ask(url: URL, request: JsonRequest): Promise<JsonAnswer> {
    const { headers = {}, failureOf } = request;
    const sentHeaders = requestHeaders(headers, version);
    const { queue, health } = originOf(url.origin);
    const gaveUp = health.begin();
    let body: string | undefined;
    let canAskForLess = false;
    const post = () => {
      if (body === undefined) {
        const sent = request.late?.() ?? request;
        canAskForLess = sent.canAskForLess === true;
        body = JSON.stringify(sent.body);
      }
      counted.requests += 1;
      return exchange.post({ url, headers: sentHeaders, body });
    };
    const { attemptsMax: passing, serverErrorAttemptsMax: server, retryAfterMaxMs } = settings;
    const left: Record<FaultKind, number> = { passing, server, garbled: 2, final: 1 };
    for (let attempt = 1; ; attempt += 1) {
      try {
        const { fault, ...answer } = await queue.run(post);
        health.reached();
        const failure = answer.status < 300 || fault !== undefined ? failureOf?.(answer.body) : undefined;
        if (failure?.passing !== undefined) throw httpFault("passing", failure.passing);
        if (fault !== undefined && failure === undefined) throw fault;
        health.answered();
        return answer;
      } catch (error) {
        if (!isHttpFault(error)) throw error;
        const { kind, isRateLimit, isTooMuch, mayBeTooMuch, retryAfterMs = 0 } = error.data;
        if (isRateLimit) counted.rateLimited += 1;
        // It is busy, or has too much to say, but not away.
        if (isRateLimit || isTooMuch) health.answered();
        left[kind] -= 1;
        const mayBeLess = canAskForLess && mayBeTooMuch === true;
        const isLast =
          left[kind] <= 0 || attempt >= (mayBeLess ? ATTEMPTS_BEFORE_LESS : health.attemptsMax());
        if (isLast || retryAfterMs > retryAfterMaxMs) {
          if (isTooMuch || mayBeLess) return TOO_MUCH;
          if (kind === "passing" && !isRateLimit) gaveUp();
          const after = attempt === 1 ? "" : ` (given up after ${attempt} attempts)`;
          const [asked, longest] = [retryAfterMs, retryAfterMaxMs].map((ms) => Math.ceil(ms / 1000));
          const why = isLast
            ? after
            : ` and requested a wait of ${asked} s, longer than our limit of ${longest} s`;
          // No cause: undici's errors may contain request or response data.
          throw sourceFailed(`${url.origin} ${error.message}${why}`, { isPassing: kind === "passing" });
        }
        // A rate limit or `Retry-After` applies to all requests to that origin.
        if (retryAfterMs > 0) queue.pause(retryAfterMs);
        else {
          const waitMs = backOffMs(settings, attempt, random());
          if (isRateLimit) queue.pause(waitMs);
          else await sleep(waitMs, signal);
        }
        counted.retries += 1;
      }
    }
  }

  return {
    /**
     * Resolves to any JSON answer that is not a temporary fault: 2xx, and also 4xx with a JSON body. Resolves to a 413
     * with any body, as the source can request less; an answer over our limits of bytes or values is a 413 too.
     */
    async postJson(request: JsonRequest): Promise<JsonAnswer> {
      const url = requireAllowedUrl(request.url);
      try {
        return await ask(url, request);
      } catch (error) {
        throw signal.aborted ? signal.reason : error;
      }
    },
    counters: (): HttpCounters => ({ ...counted }),
    /** Closes every connection; pending requests fail. */
    async close(): Promise<void> {
      closing.abort(sourceFailed("the network client was closed"));
      await exchange.close();
    },
  };
}

/** Attempts for a request that can be made smaller: enough to tell a temporary fault from one of its size. */
const ATTEMPTS_BEFORE_LESS = 2;

/** The wait after the n-th failure: doubles each time, scaled to 50–100 % so that clients do not all return at once. */
function backOffMs(
  { backOffFirstMs, backOffLongestMs }: HttpSettings,
  attempt: number,
  random: number,
): number {
  return Math.min(backOffLongestMs, backOffFirstMs * 2 ** (attempt - 1)) * (0.5 + random / 2);
}

/** Stands for an answer over our limits, like an origin's own 413. */
const TOO_MUCH: JsonAnswer = { status: 413, body: undefined };

/** Our headers override those of the source, which are lower-cased: two spellings of one name would both be sent. */
function requestHeaders(given: Readonly<Record<string, string>>, version: string) {
  return {
    ...Object.fromEntries(Object.entries(given).map(([name, value]) => [name.toLowerCase(), value])),
    accept: "application/json",
    "accept-encoding": ACCEPTED_ENCODINGS,
    "content-type": "application/json",
    "user-agent": `govdata/${version}`,
  };
}

const LOOPBACK_HOST = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/** Requires https, or http on this machine. Throws SOURCE_FAILED without the URL: nodes have their key in its path. */
function requireAllowedUrl(address: string): URL {
  const url = parseUrl(address);
  if (url === undefined) throw sourceFailed("a source's URL is not valid");
  if (url.username !== "" || url.password !== "") {
    throw sourceFailed(`the URL of ${url.host} contains a user name or a password`, {
      hint: "URLs end up in logs. Send a key as a header instead.",
    });
  }
  if (url.protocol === "https:") return url;
  if (url.protocol === "http:" && LOOPBACK_HOST.test(url.hostname)) return url;
  throw sourceFailed(`the URL of ${url.host || "a source"} is not https`, {
    hint: "Plain http is allowed only to this machine (127.0.0.1, localhost).",
  });
}
