import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { SeenCall } from "./faulty-node.ts";

/** A provider in front of a node: its address contains a key, it counts calls, and it can be switched off. */
export interface NodeFront {
  readonly url: string;
  /** Every call that arrived, including those in batches. */
  readonly seen: readonly SeenCall[];
  /** Switched off: it answers every request like a provider that does not know the key, and quotes the key. */
  setAway(isAway: boolean): void;
  forget(): void;
  close(): Promise<void>;
}

/** Starts one on loopback; only requests with the key reach the node. */
export async function startNodeFront(nodeUrl: string, key: string): Promise<NodeFront> {
  const seen: SeenCall[] = [];
  let isAway = false;
  const answer = async (request: IncomingMessage, text: string, response: ServerResponse): Promise<void> => {
    const isRefused = isAway || request.url !== `/v2/${key}?key=${key}`;
    response.writeHead(isRefused ? 403 : 200, { "content-type": "application/json" });
    if (isRefused) {
      response.end(JSON.stringify({ error: { code: -32_600, message: `the key ${key} is not known` } }));
      return;
    }
    const body: unknown = JSON.parse(text);
    seen.push(...((Array.isArray(body) ? body : [body]) as SeenCall[]));
    const headers = { "content-type": "application/json" };
    const answer = await fetch(nodeUrl, { method: "POST", headers, body: text });
    response.end(await answer.text());
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      answer(request, Buffer.concat(chunks).toString("utf8"), response).catch(() => response.destroy());
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v2/${key}?key=${key}`,
    seen,
    setAway(value) {
      isAway = value;
    },
    forget: () => void seen.splice(0),
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
