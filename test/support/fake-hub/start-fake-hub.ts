import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { answerQuery, type HubAnswer } from "./answer-query.ts";
import { createHubStore, type HubStore } from "./hub-store.ts";

/** A fault of one answer. */
export type HubFault =
  /** The rate limit is exceeded: a body that is no GraphQL, and the time to retry. */
  | { readonly kind: "rate-limit"; readonly resetS?: number }
  /** The hub's SQL fails: status 500, or 200 for a space. */
  | { readonly kind: "database" }
  | { readonly kind: "status"; readonly status: number; readonly body: unknown }
  /** The connection ends in the middle of the body. */
  | { readonly kind: "cut" }
  /** The process restarts: the connection ends before any answer. */
  | { readonly kind: "restart" }
  | { readonly kind: "slow"; readonly waitMs: number }
  /** A small answer that decompresses to a large one. */
  | { readonly kind: "bomb"; readonly bytes: number }
  /** Any other body, with status 200. */
  | { readonly kind: "body"; readonly body: unknown }
  /** Any other misbehaviour of a server. */
  | { readonly kind: "raw"; send(response: ServerResponse): void };

/** One request as it arrived. */
export interface ArrivedQuery {
  readonly operation: string;
  readonly variables: Readonly<Record<string, unknown>>;
  readonly key: string | undefined;
}

/** A hub on loopback. */
export interface FakeHub {
  readonly url: string;
  readonly store: HubStore;
  readonly arrived: readonly ArrivedQuery[];
  /** Returns the fault for each request, numbered from 0; undefined for none. */
  failWith(fault: ((query: ArrivedQuery, count: number) => HubFault | undefined) | undefined): void;
  /** Clears the recorded requests. */
  forget(): void;
  /** Kills the process: every connection ends, and nobody listens until it is started again at the same address. */
  kill(): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

/** The rate limit of a hub; the real one allows a hundred requests a minute. */
export interface HubLimiter {
  readonly requestsPerMinute: number;
  readonly nowMs: () => number;
}

/** What a hub is like; each has a default. */
export interface FakeHubOptions {
  readonly keys?: readonly string[];
  /** Requests a month with a key, which no rate limit applies to; more are limited like those without a key. */
  readonly keyLimit?: number;
  /** Without one, the hub has no rate limit. */
  readonly limiter?: HubLimiter;
}

/** Starts a hub that accepts requests with one of its keys or without a key. */
export async function startFakeHub({
  keys = ["good"],
  keyLimit = 2_000_000,
  limiter,
}: FakeHubOptions = {}): Promise<FakeHub> {
  const store = createHubStore();
  const arrived: ArrivedQuery[] = [];
  const limit = limiter === undefined ? undefined : createWindow(limiter);
  const used = new Map<string, number>();
  let faultOf: Parameters<FakeHub["failWith"]>[0];
  const answer = (request: IncomingMessage, text: string, response: ServerResponse): void => {
    const query = arrivedQuery(request, text);
    const { key } = query;
    const isKnown = key !== undefined && keys.includes(key);
    if (isKnown) used.set(key, (used.get(key) ?? 0) + 1);
    const left = isKnown ? keyLimit - (used.get(key) ?? 0) : -1;
    for (const [name, value] of Object.entries(isKnown ? keyHeaders(keyLimit, left) : {})) {
      response.setHeader(name, value);
    }
    const isLimited = key === undefined || (isKnown && left < 0);
    const window = isLimited ? limit?.() : undefined;
    for (const [name, value] of Object.entries(window?.headers ?? {})) response.setHeader(name, value);
    const fault = window?.fault ?? faultOf?.(query, arrived.length);
    arrived.push(query);
    const isDatabaseDown = fault?.kind === "database";
    const plain = () =>
      isKnown || key === undefined ? answerQuery(store, text, { isDatabaseDown }) : INVALID_KEY;
    if (fault === undefined) send(response, plain());
    else sendFault(response, fault, plain);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => answer(request, Buffer.concat(chunks).toString("utf8"), response));
  });
  const listen = (port: number) =>
    new Promise<void>((resolve) => server.listen(port, "127.0.0.1", () => resolve()));
  const kill = async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  };
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    store,
    arrived,
    failWith(fault) {
      faultOf = fault;
    },
    forget: () => void arrived.splice(0),
    kill,
    restart: () => listen(port),
    close: kill,
  };
}

const INVALID_KEY: HubAnswer = {
  status: 401,
  body: { error: "unauthorized", error_description: "Invalid key" },
};

const WINDOW_MS = 60_000;

const RATE_LIMIT: HubAnswer = {
  status: 429,
  body: { error: "unauthorized", error_description: "too many requests" },
};

/** Counts requests in fixed windows, which do not slide, and says with each answer how many are left. */
function createWindow({ requestsPerMinute, nowMs }: HubLimiter) {
  let endsAtMs = Number.NEGATIVE_INFINITY;
  let left = 0;
  return (): { readonly headers: Readonly<Record<string, string>>; readonly fault?: HubFault } => {
    const atMs = nowMs();
    if (atMs >= endsAtMs) {
      endsAtMs = atMs + WINDOW_MS;
      left = requestsPerMinute;
    }
    left -= 1;
    const resetS = Math.ceil((endsAtMs - atMs) / 1000);
    const headers = windowHeaders(requestsPerMinute, Math.max(0, left), resetS);
    return left >= 0 ? { headers } : { headers, fault: { kind: "rate-limit", resetS } };
  };
}

function windowHeaders(limit: number, left: number, resetS: number): Readonly<Record<string, string>> {
  return {
    "ratelimit-policy": `${limit};w=60`,
    "ratelimit-limit": String(limit),
    "ratelimit-remaining": String(left),
    "ratelimit-reset": String(resetS),
  };
}

function keyHeaders(limit: number, left: number): Readonly<Record<string, string>> {
  return {
    "x-api-key-limit": String(limit),
    "x-api-key-remaining": String(Math.max(0, left)),
    "x-api-key-reset": "1798761600",
  };
}

function arrivedQuery({ headers }: IncomingMessage, text: string): ArrivedQuery {
  const key = headers["x-api-key"]?.toString();
  try {
    const { operationName = "", variables = {} } = JSON.parse(text);
    return { operation: operationName, variables, key };
  } catch {
    return { operation: "", variables: {}, key };
  }
}

function send(response: ServerResponse, { status, body, contentType, headers }: HubAnswer): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": contentType ?? "application/json", ...headers });
  response.end(text);
}

function sendFault(response: ServerResponse, fault: HubFault, plain: () => HubAnswer): void {
  switch (fault.kind) {
    case "rate-limit": {
      const { resetS = 60 } = fault;
      const headers = { ...windowHeaders(100, 0, resetS), "retry-after": String(resetS) };
      return void send(response, { ...RATE_LIMIT, headers });
    }
    case "database":
      return void send(response, plain());
    case "status":
      return void send(response, fault);
    case "body":
      return void send(response, { status: 200, body: fault.body });
    case "raw":
      return void fault.send(response);
    case "cut": {
      const { status, body } = plain();
      const text = Buffer.from(JSON.stringify(body));
      response.writeHead(status, { "content-type": "application/json", "content-length": text.length });
      return void response.write(text.subarray(0, Math.floor(text.length / 2)), () => response.destroy());
    }
    case "restart":
      return void response.destroy();
    case "slow":
      return void setTimeout(() => send(response, plain()), fault.waitMs);
    case "bomb":
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      return void response.end(gzipSync(Buffer.alloc(fault.bytes, " ")));
  }
}
