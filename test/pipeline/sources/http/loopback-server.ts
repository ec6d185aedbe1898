import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach } from "vitest";
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
} from "../../../../pipeline/sources/http/http-client.ts";
import { createVirtualTime, type VirtualTime } from "./virtual-time.ts";

/** What arrived at a server, in order. */
export interface Arrived {
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
  readonly path: string;
}

/** Answers one request; `index` counts from 0. */
export type Answering = (response: ServerResponse, index: number, arrived: Arrived) => void | Promise<void>;

type JsonRequest = Parameters<HttpClient["postJson"]>[0];

/** A real server on loopback that answers as it is told. */
export interface LoopbackServer {
  readonly origin: string;
  readonly arrived: readonly Arrived[];
  close(): Promise<void>;
}

/** Listens on a free port of 127.0.0.1. */
export async function openLoopbackServer(answer: Answering): Promise<LoopbackServer> {
  const arrived: Arrived[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const one = {
      headers: request.headers,
      body: Buffer.concat(parts).toString("utf8"),
      path: request.url ?? "",
    };
    arrived.push(one);
    await answer(response, arrived.length - 1, one);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    arrived,
    async close() {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Sends JSON with a status. */
export function sendJson(response: ServerResponse, status: number, value: unknown, headers = {}): void {
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
}

const toClose: (() => Promise<void>)[] = [];

/** Closes, after each test of the file that calls this, what `openClient` opened in it. */
export function closeAfterEach(): void {
  afterEach(async () => {
    for (const close of toClose.splice(0)) await close();
  });
}

/** A client in virtual time. */
export function openClient(options: Partial<HttpClientOptions> = {}): {
  client: HttpClient;
  time: VirtualTime;
} {
  const time = createVirtualTime();
  const client = createHttpClient({ ...time, version: "1.2.3", ...options });
  toClose.push(() => client.close());
  return { client, time };
}

/** A server that is closed with the test. */
export async function openServer(answer: Answering): Promise<LoopbackServer> {
  const server = await openLoopbackServer(answer);
  toClose.push(() => server.close());
  return server;
}

/** Posts once to a new server that answers so; returns the answer or the error, and who took part. */
export async function postOnce(
  answer: Answering,
  {
    request = {},
    ...options
  }: Partial<HttpClientOptions> & { readonly request?: Partial<JsonRequest> | undefined } = {},
) {
  const server = await openServer(answer);
  const { client, time } = openClient(options);
  const [answered, error] = await client.postJson({ url: server.origin, body: {}, ...request }).then(
    (one) => [one, undefined] as const,
    (thrown: unknown) => [undefined, thrown as Error] as const,
  );
  return { answered, error, server, client, time };
}

/** The real client, which waits for nothing between attempts and makes few of them. */
export const hastyClient = (settings: HttpClientOptions["settings"] = {}) =>
  createHttpClient({
    nowMs: () => 0,
    sleep: async () => {},
    random: () => 0.5,
    version: "1.0.0",
    settings: { requestsPerMinute: 1e9, attemptsMax: 4, serverErrorAttemptsMax: 3, ...settings },
  });
