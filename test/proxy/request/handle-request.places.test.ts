import { connect } from "node:net";
import { expect, it } from "vitest";
import type { DailyQuota } from "../../../proxy/quota/daily-quota.ts";
import { folderWithFixture } from "../support/fixture-folder.ts";
import { createListeningProxy, type ListeningProxy } from "../support/listening-proxy.ts";
import type { TestProxyOptions } from "../support/test-proxy.ts";

const { folder, published } = folderWithFixture();

const LIST = "/v1/daos";
const DETAIL = "/v1/daos/tidewater.example";

async function withProxy(
  options: Omit<TestProxyOptions, "folder" | "published">,
  work: (proxy: ListeningProxy) => Promise<void>,
): Promise<void> {
  const proxy = await createListeningProxy({ folder, published, ...options });
  try {
    await work(proxy);
  } finally {
    await proxy.close();
  }
}

/** Asks until the answer is one that was given before. */
async function warm(proxy: ListeningProxy, target: string, key: string): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) expect((await proxy.ask(target, { key })).status).toBe(200);
}

it("charges a target whose answer is cached for another tier, and answers by its own", async () => {
  await withProxy({}, async (proxy) => {
    await warm(proxy, DETAIL, proxy.keys.pro);
    expect((await proxy.ask(DETAIL, { key: proxy.keys.free })).code).toBe("TIER_INSUFFICIENT");
    expect((await proxy.ask(DETAIL, { key: proxy.keys.enterprise })).status).toBe(200);
    expect([proxy.usedBy("free"), proxy.usedBy("pro"), proxy.usedBy("enterprise")]).toEqual([1, 3, 1]);
  });
});

it("says that the connection will be closed while the server is stopping, also with a cached answer", async () => {
  const stopping = new AbortController();
  await withProxy({ stopping: stopping.signal }, async (proxy) => {
    await warm(proxy, LIST, proxy.keys.pro);
    stopping.abort();
    const request = `GET ${LIST} HTTP/1.1\r\nHost: a\r\nx-api-key: ${proxy.keys.pro}\r\n\r\n`;
    const [answer] = await proxy.send([request]);
    expect([answer?.status, answer?.headers["connection"]]).toEqual([200, "close"]);
  });
});

it("finds the place of the request before it free, on one connection and with room for one", async () => {
  await withProxy({ inFlightMax: 1 }, async (proxy) => {
    const request = `GET ${LIST} HTTP/1.1\r\nHost: a\r\nx-api-key: ${proxy.keys.pro}\r\n`;
    const last = `${request}Connection: close\r\n\r\n`;
    for (const hot of [1, 2]) {
      const answers = await proxy.send([`${`${request}\r\n`.repeat(3)}${last}`]);
      expect(
        answers.map(({ status }) => status),
        `turn ${hot}`,
      ).toEqual([200, 200, 200, 200]);
    }
  });
});

const linesOf = (proxy: ListeningProxy) =>
  proxy.logLines.map((line) => JSON.parse(line)).filter(({ msg }) => msg === "request");

it("frees the place of a caller that hung up before it was charged, and writes of each request one line", async () => {
  const release: (() => void)[] = [];
  let isHeld = false;
  const quota = (real: DailyQuota): DailyQuota => ({
    ...real,
    charge: async (request) => {
      if (isHeld) await new Promise<void>((resolve) => release.push(resolve));
      // Without the disk: the places are free again before the next one asks.
      return request.limit > 0 ? { isGranted: true, remaining: 7 } : real.charge(request);
    },
  });
  await withProxy({ quota, inFlightMax: 2 }, async (proxy) => {
    await warm(proxy, LIST, proxy.keys.pro);
    isHeld = true;
    const request = `GET ${LIST} HTTP/1.1\r\nHost: a\r\nx-api-key: ${proxy.keys.pro}\r\n\r\n`;
    const callers = [0, 1].map(() => connect({ host: "127.0.0.1", port: proxy.port }));
    for (const caller of callers) caller.write(request);
    await expect.poll(() => release.length).toBe(2);
    for (const caller of callers) caller.resetAndDestroy();
    await expect.poll(() => linesOf(proxy).length).toBe(3 + 2);
    isHeld = false;
    for (const go of release) go();
    for (let turn = 0; turn < 4; turn += 1) await warm(proxy, LIST, proxy.keys.pro);
    const lines = linesOf(proxy);
    expect(lines).toHaveLength(3 + 2 + 12);
    expect(lines.filter(({ aborted }) => aborted === true)).toHaveLength(2);
    expect(new Set(lines.map(({ reqId }) => reqId)).size).toBe(lines.length);
    for (const line of lines) {
      // Who hung up before it was charged has no key yet.
      if (line.aborted !== true) expect(line).toMatchObject({ keyId: expect.any(String) });
      expect(line).toMatchObject({ method: "GET", route: LIST, status: 200 });
    }
  });
});
