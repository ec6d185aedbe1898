import { afterEach } from "vitest";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { createHttpClient, type HttpClientOptions } from "../../../../pipeline/sources/http/http-client.ts";
import { type Answering, type LoopbackServer, openLoopbackServer } from "./loopback-server.ts";
import { createVirtualTime, type VirtualTime } from "./virtual-time.ts";

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
