import { PipelineError } from "../../base/pipeline-error.ts";
import { answerOfReply } from "./answer-of-reply.ts";
import { createExchange } from "./exchange.ts";
import type { HttpClient, JsonAnswer, JsonRequest } from "./http-client.ts";
import type { HttpEffects } from "./http-effects.ts";
import { HttpFault } from "./http-fault.ts";
import { type HttpSettings, httpSettings } from "./http-settings.ts";
import { createOriginLanes } from "./origin-lanes.ts";
import { repeatRequest } from "./repeat-request.ts";
import { requestHeaders } from "./request-headers.ts";
import { requireAllowedUrl } from "./require-allowed-url.ts";

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
