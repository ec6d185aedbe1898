import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { answerQuery, type HubAnswer } from "./answer-query.ts";
import { createHubStore, type HubStore } from "./hub-store.ts";

/** A fault of one answer. */
export type HubFault =
  /** The rate limit is exceeded: a body that is no GraphQL, and the time to retry. */
  | { readonly kind: "rate-limit"; readonly resetS?: number }
  /** The hub's SQL fails, but the status is 200. */
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
  close(): Promise<void>;
}

/** The rate limit of a hub; the real one allows a hundred requests a minute. */
export interface HubLimiter {
  readonly requestsPerMinute: number;
  readonly nowMs: () => number;
}

/** Starts a hub that accepts requests with one of `keys` or without a key; without a limiter it has no rate limit. */
export async function startFakeHub({
  keys = ["good"],
  limiter,
}: {
  readonly keys?: readonly string[];
  readonly limiter?: HubLimiter;
} = {}): Promise<FakeHub> {
  const store = createHubStore();
  const arrived: ArrivedQuery[] = [];
  const limit = limiter === undefined ? () => undefined : createWindow(limiter);
  let faultOf: Parameters<FakeHub["failWith"]>[0];
  const answer = (request: IncomingMessage, text: string, response: ServerResponse): void => {
    const query = arrivedQuery(request, text);
    const fault = limit() ?? faultOf?.(query, arrived.length);
    arrived.push(query);
    const isKnown = query.key === undefined || keys.includes(query.key);
    const plain = () => (isKnown ? answerQuery(store, text, fault?.kind === "database") : INVALID_KEY);
    if (fault === undefined) send(response, plain());
    else sendFault(response, fault, plain);
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => answer(request, Buffer.concat(chunks).toString("utf8"), response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/graphql`,
    store,
    arrived,
    failWith(fault) {
      faultOf = fault;
    },
    forget: () => void arrived.splice(0),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
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
  headers: {
    "retry-after": "60",
    "ratelimit-limit": "100",
    "ratelimit-remaining": "0",
    "ratelimit-reset": "60",
  },
};

/** Counts requests in fixed windows, which do not slide. */
function createWindow({ requestsPerMinute, nowMs }: HubLimiter): () => HubFault | undefined {
  let endsAtMs = Number.NEGATIVE_INFINITY;
  let left = 0;
  return () => {
    const atMs = nowMs();
    if (atMs >= endsAtMs) {
      endsAtMs = atMs + WINDOW_MS;
      left = requestsPerMinute;
    }
    left -= 1;
    return left >= 0 ? undefined : { kind: "rate-limit", resetS: Math.ceil((endsAtMs - atMs) / 1000) };
  };
}

function arrivedQuery({ headers }: IncomingMessage, text: string): ArrivedQuery {
  const key = headers["x-api-key"];
  const said = readable(text);
  return {
    operation: said.operationName ?? "",
    variables: said.variables ?? {},
    key: Array.isArray(key) ? key[0] : key,
  };
}

function readable(text: string): { operationName?: string; variables?: Record<string, unknown> } {
  try {
    return JSON.parse(text) as ReturnType<typeof readable>;
  } catch {
    return {};
  }
}

function send(response: ServerResponse, { status, body, contentType, headers }: HubAnswer): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": contentType ?? "application/json", ...headers });
  response.end(text);
}

function sendFault(response: ServerResponse, fault: HubFault, plain: () => HubAnswer): void {
  switch (fault.kind) {
    case "rate-limit":
      send(response, {
        ...RATE_LIMIT,
        headers: { ...RATE_LIMIT.headers, "ratelimit-reset": String(fault.resetS ?? 60) },
      });
      return;
    case "database":
      send(response, plain());
      return;
    case "status":
      send(response, { status: fault.status, body: fault.body });
      return;
    case "body":
      send(response, { status: 200, body: fault.body });
      return;
    case "raw":
      fault.send(response);
      return;
    case "cut": {
      const { status, body } = plain();
      const text = Buffer.from(JSON.stringify(body));
      response.writeHead(status, { "content-type": "application/json", "content-length": text.length });
      response.write(text.subarray(0, Math.floor(text.length / 2)), () => response.destroy());
      return;
    }
    case "restart":
      response.destroy();
      return;
    case "slow":
      setTimeout(() => send(response, plain()), fault.waitMs);
      return;
    case "bomb":
      response.writeHead(200, { "content-type": "application/json", "content-encoding": "gzip" });
      response.end(gzipSync(Buffer.alloc(fault.bytes, " ")));
      return;
  }
}
