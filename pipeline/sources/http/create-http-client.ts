import { isUtf8 } from "node:buffer";
import { PipelineError } from "../../facts/errors.ts";
import { parseUrl } from "../../facts/upstream-text.ts";
import { jsonExcess } from "../upstream/json-excess.ts";
import { ACCEPTED_ENCODINGS, createExchange, type Reply } from "./exchange.ts";
import {
  type HttpClient,
  type HttpEffects,
  type JsonAnswer,
  type JsonRequest,
  sleepOnTimer,
} from "./http-client.ts";
import { HttpFault } from "./http-fault.ts";
import { type HttpSettings, httpSettings } from "./http-settings.ts";
import { createOriginLanes } from "./origin-lanes.ts";
import { repeatRequest } from "./repeat-request.ts";

/** A reply as JSON. Throws `HttpFault`: garbled when a success is not JSON, final when a refusal is not, or it holds too much. */
export function answerOfReply({ status, headers, body }: Reply, settings: HttpSettings): JsonAnswer {
  const text = isUtf8(body) ? body.toString("utf8") : "";
  const depthMax = settings.jsonDepthMax;
  const excess = jsonExcess(text, { depthMax, valuesMax: settings.jsonValuesMax });
  if (excess !== undefined) {
    const isTooMuch = jsonExcess(text, { depthMax }) === undefined;
    throw new HttpFault("final", `sent an answer that ${excess}`, { isTooMuch });
  }
  try {
    return { status, headers, body: JSON.parse(text) };
  } catch {
    // The page of a proxy in front of a node: too much was asked for at once.
    if (status === 413) return { status, headers, body: undefined };
    if (status < 300) throw new HttpFault("garbled", `answered ${status} with something that is not JSON`);
    throw new HttpFault("final", `answered ${status}`);
  }
}

/** Who asks, as the other side may read it in its logs. */
export interface Asker {
  readonly version: string;
  readonly repositoryUrl?: string;
}

/** The headers of a request: what the source gives, and over it what the door says of itself. */
export function requestHeaders(
  given: Readonly<Record<string, string>>,
  { version, repositoryUrl }: Asker,
): Readonly<Record<string, string>> {
  // Two spellings of one name would both be sent.
  const lowered = Object.entries(given).map(([name, value]) => [name.toLowerCase(), value] as const);
  return {
    ...Object.fromEntries(lowered),
    accept: "application/json",
    "accept-encoding": ACCEPTED_ENCODINGS,
    "content-type": "application/json",
    "user-agent": `govdata/${version}${repositoryUrl === undefined ? "" : ` (+${repositoryUrl})`}`,
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
    hint: "Only this machine itself (127.0.0.1, localhost) may be asked over plain http.",
  });
}

/** Who asks, with what patience, and what may end it. */
export interface HttpClientOptions {
  readonly effects: HttpEffects;
  /** Of this program; goes into the `user-agent`. */
  readonly version: string;
  readonly repositoryUrl?: string;
  readonly settings?: Partial<HttpSettings>;
  /** Requests per minute of origins that grant more, or less, than the settings say. */
  readonly requestsPerMinuteOf?: Readonly<Record<string, number>>;
  /** Ends every wait and every request at once. */
  readonly signal?: AbortSignal;
}

/** Opens the only door to the network (`HttpClient` says what it promises). */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { effects, requestsPerMinuteOf = {} } = options;
  const settings = httpSettings(options.settings ?? {});
  const counted = { requests: 0, retries: 0, bytes: 0, rateLimited: 0 };
  const { signal, end, detach } = createEnding(options.signal);
  const laneOf = createOriginLanes({ effects, settings, requestsPerMinuteOf, signal });
  const onBytes = (count: number) => {
    counted.bytes += count;
  };
  const exchange = createExchange(settings, { nowMs: effects.nowMs, onBytes });

  async function ask({
    url: address,
    headers = {},
    body,
    canAskForLess = false,
  }: JsonRequest): Promise<JsonAnswer> {
    const url = requireAllowedUrl(address);
    const sending = { url, headers: requestHeaders(headers, options), body: JSON.stringify(body) };
    const attempt = async () => {
      counted.requests += 1;
      return answerOfReply(await exchange.post(sending, signal), settings);
    };
    const onFault = ({ isRateLimit }: HttpFault) => {
      if (isRateLimit) counted.rateLimited += 1;
    };
    const onRetry = () => {
      counted.retries += 1;
    };
    const lane = laneOf(url.origin);
    try {
      return await repeatRequest(attempt, {
        lane,
        settings,
        effects,
        signal,
        canAskForLess,
        onFault,
        onRetry,
      });
    } catch (error) {
      if (signal.aborted) throw signal.reason;
      if (!(error instanceof HttpFault)) throw error;
      if (error.isTooMuch) return TOO_MUCH;
      throw failureOf(url.origin, error);
    }
  }

  return {
    postJson: ask,
    counters: () => ({ ...counted }),
    async close() {
      detach();
      end(new PipelineError("SOURCE_FAILED", "the door to the network was closed"));
      await exchange.close();
    },
  };
}

/** What an origin says that will not answer so much is what we say of one that answered more than we take. */
const TOO_MUCH: JsonAnswer = { status: 413, headers: {}, body: undefined };

/** Without a cause: undici's errors may hold what was sent or received. */
function failureOf(origin: string, { message }: HttpFault): PipelineError {
  return new PipelineError("SOURCE_FAILED", `${origin} ${message}`);
}

/** One signal for both who may end a client: whoever opened it, and `close`. */
function createEnding(outer: AbortSignal | undefined) {
  const ending = new AbortController();
  const interrupt = () =>
    ending.abort(new PipelineError("INTERRUPTED", "asking the sources was interrupted"));
  if (outer?.aborted) interrupt();
  outer?.addEventListener("abort", interrupt);
  return {
    signal: ending.signal,
    end: (reason: PipelineError) => ending.abort(reason),
    detach: () => outer?.removeEventListener("abort", interrupt),
  };
}

/** How fast to ask each origin; what is left out takes the door's default. */
export interface HttpPace {
  readonly requestsPerMinute?: number | undefined;
  readonly concurrencyMax?: number | undefined;
}

/** The clock that requests are paced by, and the program's version, which their user agent names. */
export interface HttpIdentity {
  /** Wall time in milliseconds. */
  readonly nowMs: () => number;
  readonly version: string;
}

/** Opens the door to the network for one command, which closes it. */
export function openHttp({ nowMs, version }: HttpIdentity, pace: HttpPace): HttpClient {
  const { requestsPerMinute, concurrencyMax } = pace;
  return createHttpClient({
    // Chance spreads retries and decides nothing else.
    effects: { nowMs, sleep: sleepOnTimer, random: Math.random },
    version,
    settings: {
      ...(requestsPerMinute === undefined ? {} : { requestsPerMinute }),
      ...(concurrencyMax === undefined ? {} : { concurrencyMax }),
    },
  });
}
