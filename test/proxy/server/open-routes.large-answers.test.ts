import { connect, type Socket } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LARGE_ANSWERS_MAX } from "../../../proxy/server/limits.ts";
import { createListeningProxy, type ListeningProxy } from "../support/listening-proxy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
let proxy: ListeningProxy;
let bundle = "";

beforeAll(async () => {
  proxy = await createListeningProxy({ folder });
  const { body } = await proxy.ask("/docs");
  [bundle = ""] = /docs\/swagger-ui-bundle-\w+\.js/.exec(body) ?? [];
});
afterAll(() => proxy.close());

/** A caller that reads the whole answer, and ends the connection only when it is told to. */
async function ask(target: string) {
  const socket = connect({ host: "127.0.0.1", port: proxy.port, allowHalfOpen: true });
  let text = "";
  socket.setEncoding("latin1").on("data", (chunk) => {
    text += chunk;
  });
  const isRead = new Promise<string>((resolve) => socket.on("end", () => resolve(text)));
  await new Promise((resolve) => socket.on("connect", resolve));
  socket.write(`GET ${target} HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br\r\n\r\n`);
  return { socket, isRead, soFar: () => text };
}

describe("large answers without a key", () => {
  it("leave so many at once; the next waits until a caller has ended its connection, or was cut off", async () => {
    const callers = await Promise.all(Array.from({ length: LARGE_ANSWERS_MAX }, () => ask(`/${bundle}`)));
    for (const { isRead } of callers) expect(await isRead).toMatch(/connection: close/i);
    const [late, gone, later] = [await ask(`/${bundle}`), await ask(`/${bundle}`), await ask(`/${bundle}`)];
    // Small ones need no turn.
    for (const target of ["/healthz", "/docs"]) {
      const small = await ask(target);
      await expect.poll(small.soFar).toContain("200 OK");
      expect(small.soFar()).not.toMatch(/connection: close/i);
      small.socket.destroy();
    }
    expect(late.soFar()).toBe("");
    callers[0]?.socket.end();
    expect(await late.isRead).toContain("200 OK");
    expect(later.soFar()).toBe("");
    gone.socket.destroy();
    callers[1]?.socket.resetAndDestroy();
    expect(await later.isRead).toContain("200 OK");
    const all: Socket[] = [...callers, late, later].map(({ socket }) => socket);
    for (const socket of all) socket.destroy();
  });
});
