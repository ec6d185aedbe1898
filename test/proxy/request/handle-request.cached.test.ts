import { connect } from "node:net";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { setAccount } from "../../../proxy/keys/accounts.ts";
import type { DailyQuota } from "../../../proxy/quota/daily-quota.ts";
import type { SnapshotSource } from "../../../proxy/snapshot/snapshot-source.ts";
import { openOptOutStore } from "../../../snapshots/optouts/opt-out-store.ts";
import {
  FIXTURE_AS_OF_MS,
  FIXTURE_ENTITY_ID,
  publishedSet,
  publishFixture,
} from "../../support/published-set.ts";
import { createListeningProxy, type ListeningProxy } from "../support/listening-proxy.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { TestProxyOptions } from "../support/test-proxy.ts";

const folder = temporaryFolder();
const published = join(folder, "published");
beforeAll(async () => {
  await publishFixture(published);
});

const LIST = "/v1/daos";
const DELEGATES = "/v1/daos/tidewater.example/delegates";
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

describe("an answer given before is not given again", () => {
  it("to an account whose tier fell, or whose day is used up", async () => {
    await withProxy({}, async (proxy) => {
      await warm(proxy, DETAIL, proxy.keys.pro);
      setAccount(proxy.store, "pro", { tier: "free" });
      proxy.clock.nowMs += 1_000;
      expect((await proxy.ask(DETAIL, { key: proxy.keys.pro })).code).toBe("TIER_INSUFFICIENT");
      await warm(proxy, LIST, proxy.keys.free);
      for (let used = 3; used < 100; used += 1) {
        expect((await proxy.ask(LIST, { key: proxy.keys.free })).status).toBe(200);
      }
      const refused = await proxy.ask(LIST, { key: proxy.keys.free });
      expect([refused.code, refused.headers["x-ratelimit-remaining"]]).toEqual(["RATE_LIMIT_EXCEEDED", "0"]);
      expect(proxy.usedBy("free")).toBe(100);
    });
  });

  it("of a version that another one has replaced", async () => {
    const replaced = join(folder, "replaced");
    await publishFixture(replaced);
    const proxy = await createListeningProxy({ folder, published: replaced });
    await warm(proxy, LIST, proxy.keys.pro);
    const before = await proxy.ask(LIST, { key: proxy.keys.pro });
    await publishFixture(replaced, { set: publishedSet(FIXTURE_AS_OF_MS + 86_400_000) });
    await proxy.poll();
    const after = await proxy.ask(LIST, { key: proxy.keys.pro });
    expect(after.headers["x-snapshot-version"]).not.toBe(before.headers["x-snapshot-version"]);
    expect(JSON.parse(after.body).meta.as_of).not.toBe(JSON.parse(before.body).meta.as_of);
    await proxy.close();
  });

  it("that names somebody who has opted out", async () => {
    await withProxy({}, async (proxy) => {
      for (const target of [DELEGATES, DETAIL]) await warm(proxy, target, proxy.keys.pro);
      expect((await proxy.ask(DELEGATES, { key: proxy.keys.pro })).body).toContain("delegate-1.example");
      expect((await proxy.ask(DETAIL, { key: proxy.keys.pro })).body).toContain(FIXTURE_ENTITY_ID);
      const book = openOptOutStore(proxy.optOutsPath);
      book.add(FIXTURE_ENTITY_ID, 1);
      book.close();
      proxy.clock.nowMs += 999;
      // Names of delegates are public data of the chain, and stay until the next version.
      expect((await proxy.ask(DELEGATES, { key: proxy.keys.pro })).body).toContain("delegate-1.example");
      expect((await proxy.ask(DETAIL, { key: proxy.keys.pro })).body).not.toContain(FIXTURE_ENTITY_ID);
    });
  });

  it("without a word that the connection will be closed, while the server is stopping", async () => {
    const stopping = new AbortController();
    await withProxy({ stopping: stopping.signal }, async (proxy) => {
      await warm(proxy, LIST, proxy.keys.pro);
      stopping.abort();
      const request = `GET ${LIST} HTTP/1.1\r\nHost: a\r\nx-api-key: ${proxy.keys.pro}\r\n\r\n`;
      const [answer] = await proxy.send([request]);
      expect([answer?.status, answer?.headers["connection"]]).toEqual([200, "close"]);
    });
  });
});

describe("a target whose answer is cached for another tier", () => {
  it("is charged once, and answered by its own tier", async () => {
    await withProxy({}, async (proxy) => {
      await warm(proxy, DETAIL, proxy.keys.pro);
      expect((await proxy.ask(DETAIL, { key: proxy.keys.free })).code).toBe("TIER_INSUFFICIENT");
      expect(proxy.usedBy("free")).toBe(1);
      expect((await proxy.ask(DETAIL, { key: proxy.keys.enterprise })).status).toBe(200);
      expect(proxy.usedBy("enterprise")).toBe(1);
      expect(proxy.usedBy("pro")).toBe(3);
    });
  });

  it("gets 500 and its unit back where the version cannot be shown, and the server lives", async () => {
    let isBroken = false;
    const shown = (real: SnapshotSource["shown"]): SnapshotSource["shown"] => {
      return () => {
        if (isBroken) throw new Error("index.sqlite is malformed");
        return real();
      };
    };
    await withProxy({ shown }, async (proxy) => {
      await warm(proxy, LIST, proxy.keys.pro);
      isBroken = true;
      expect((await proxy.ask(LIST, { key: proxy.keys.pro })).code).toBe("INTERNAL_ERROR");
      isBroken = false;
      expect((await proxy.ask(LIST, { key: proxy.keys.pro })).status).toBe(200);
      expect(proxy.usedBy("pro")).toBe(4);
    });
  });

  it("finds the place of the one before it free, on one connection and with room for one", async () => {
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
