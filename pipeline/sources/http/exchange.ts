import { Agent, type Dispatcher } from "undici";
import { faultOfError } from "./fault-of-error.ts";
import { HttpFault } from "./http-fault.ts";
import type { HttpSettings } from "./http-settings.ts";
import { readBody } from "./read-body.ts";
import { refuseStatus } from "./refuse-status.ts";

/** What one attempt sends: the same bytes at every attempt. */
export interface Sending {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What one attempt brought: a status worth reading, and its unpacked body. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

/** One POST on kept connections, without any repeating. Throws `HttpFault`, or the reason of the signal. */
export interface Exchange {
  post(sending: Sending, signal: AbortSignal): Promise<Reply>;
  close(): Promise<void>;
}

/** Opens the connections' keeper. This is the one file that knows undici. */
export function createExchange(
  settings: HttpSettings,
  { nowMs, onBytes }: { readonly nowMs: () => number; readonly onBytes: (count: number) => void },
): Exchange {
  const agent = new Agent({
    connections: settings.concurrencyMax,
    connect: { timeout: settings.connectTimeoutMs },
    headersTimeout: settings.headersTimeoutMs,
    bodyTimeout: settings.bodyTimeoutMs,
  });

  async function attempt(sending: Sending, signal: AbortSignal): Promise<Reply> {
    const {
      statusCode: status,
      headers,
      body,
    } = await agent.request({
      origin: sending.url.origin,
      path: `${sending.url.pathname}${sending.url.search}`,
      method: "POST",
      headers: sending.headers,
      body: sending.body,
      signal,
    });
    const known = flatHeaders(headers);
    const fault = refuseStatus({ status, headers: known, origin: sending.url.origin, nowMs: nowMs() });
    if (fault !== undefined) {
      await body.dump({ limit: DUMPED_BYTES_MAX });
      throw fault;
    }
    const encoding = known["content-encoding"];
    return {
      status,
      headers: known,
      body: await readBody(body, { encoding, bytesMax: settings.responseBytesMax, onBytes }),
    };
  }

  return {
    async post(sending, signal) {
      signal.throwIfAborted();
      const ending = new AbortController();
      const end = () => ending.abort(signal.reason);
      signal.addEventListener("abort", end);
      const timer = setTimeout(
        () => ending.abort(new HttpFault("passing", "took too long for one answer")),
        settings.attemptTimeoutMs,
      );
      try {
        return await attempt(sending, ending.signal);
      } catch (error) {
        throw ending.signal.aborted ? ending.signal.reason : faultOfError(error);
      } finally {
        clearTimeout(timer);
        // Not `AbortSignal.any`: in Node 20 the long-lived signal keeps something of every short one.
        signal.removeEventListener("abort", end);
      }
    },
    close: () => agent.destroy(),
  };
}

/** Of an answer nobody reads, as much is taken as lets its connection be used again. */
const DUMPED_BYTES_MAX = 64 * 1024;

function flatHeaders(headers: Dispatcher.ResponseData["headers"]): Readonly<Record<string, string>> {
  const flat: [string, string][] = [];
  for (const [name, value] of Object.entries(headers)) {
    if (value !== undefined) flat.push([name, Array.isArray(value) ? value.join(", ") : value]);
  }
  return Object.fromEntries(flat);
}
