import { randomBytes } from "node:crypto";
import { mkdtempSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createKey } from "../../../proxy/keys/issue-keys.ts";
import { openKeyStore } from "../../../proxy/keys/key-store.ts";
import { type RunningServer, startServer } from "../../../proxy/server/start-server.ts";
import { readServeSettings } from "../../../proxy/settings.ts";
import { createOptOuts, OPT_OUTS_MODES } from "../../../snapshots/optouts/opt-out-store.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { publishFixture } from "../../support/published-set.ts";
import { parsePrometheus, sampleIn } from "../support/prometheus-text.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { PEPPER } from "../support/test-proxy.ts";

const folder = temporaryFolder();
const home = mkdtempSync(join(folder, "home-"));
const published = join(folder, "published");
const clock = { nowMs: Date.parse("2026-04-01T12:00:00Z") };
const lines: Record<string, unknown>[] = [];
let server: RunningServer;
let key = "";
let poll = async () => {};

beforeAll(async () => {
  await publishFixture(published);
  const optouts = join(folder, "optouts.db");
  createOptOuts({ path: optouts, mode: OPT_OUTS_MODES.owner, randomBytes });
  const settings = readServeSettings({ port: "0", adminPort: "0" }, {});
  server = await startServer({ home, snapshots: published, optouts }, settings, {
    nowMs: () => clock.nowMs,
    monotonicMs: () => clock.nowMs,
    randomBytes,
    logStream: { write: (line) => void lines.push(JSON.parse(line)) },
    pepper: PEPPER,
    versions: {
      readPointer: () => readPointer(published),
      open: (sequenceMin) => openSnapshot(published, { sequenceMin }),
    },
    repeat: (task) => {
      poll = task;
      return () => {};
    },
  });
  const store = openKeyStore(join(home, "keys.db"), 100);
  const options = {
    account: "acme",
    terms: { tier: "pro" },
    environment: "live",
    expiresAtMs: null,
  } as const;
  key = createKey({ store, pepper: PEPPER, nowMs: clock.nowMs, randomBytes }, options).key;
  store.close();
});
afterAll(() => server.stop());

const ask = async (path: string) => {
  const answer = await fetch(`${server.address}${path}`, { headers: { "x-api-key": key } });
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
};
const readiness = async () => {
  const { status, body } = await ask("/readyz");
  return [status, body["status"], body["reason"]];
};
const metric = async (name: string, labels = {}) => {
  const told = parsePrometheus(await (await fetch(`${server.adminAddress}/metrics`)).text());
  return sampleIn(told, `govdata_proxy_${name}`, labels);
};
const isDown = (store: string) => metric("store_down", { store });

/** A second passes, and what is remembered of keys with it. */
async function aSecond(): Promise<void> {
  clock.nowMs += 1_000;
  await poll();
}

function move(name: string, [from, to]: readonly [string, string]): void {
  for (const end of ["", "-wal", "-shm"]) renameSync(join(from, name + end), join(to, name + end));
}

it("says in the log how many opt-outs it obeys: an old list put back is shorter", async () => {
  await aSecond();
  expect(lines).toContainEqual(expect.objectContaining({ msg: "opt-outs obeyed", count: 0 }));
});

describe.each([
  { name: "keys.db", store: "keys", reason: "KEYS_DOWN", code: "ENOENT" },
  { name: "quota.db", store: "quota", reason: "QUOTA_DOWN", code: "QUOTA_FILE_CHANGED" },
])("$name, taken away under a running server and put back", ({ name, store, reason, code }) => {
  it("is said by /readyz, a number and the log, and nothing else is said when it is back", async () => {
    const aside = mkdtempSync(join(folder, "aside-"));
    await aSecond();
    expect([(await ask("/v1/daos")).status, await readiness()]).toEqual([200, [200, "ready", undefined]]);
    move(name, [home, aside]);
    lines.length = 0;
    clock.nowMs += 1_000;
    expect((await ask("/v1/daos")).status).toBe(503);
    expect((await readiness())[0], "what a caller met turns nothing").toBe(200);
    expect(await metric("quota_commit_failures_total")).toBe(store === "quota" ? 1 : 0);
    await aSecond();
    expect([await readiness(), await isDown(store)]).toEqual([[503, "unavailable", reason], 1]);
    await aSecond();
    const told = lines.filter(({ msg }) => String(msg).startsWith("store down"));
    expect(told).toMatchObject([{ store, code, level: 50 }]);
    expect(JSON.stringify(lines)).not.toContain(home);

    move(name, [aside, home]);
    // The counter is looked at by a write, which takes as long as the disk does.
    const afterASecond = async () => {
      await aSecond();
      return [await readiness(), await isDown(store)];
    };
    await expect.poll(afterASecond).toEqual([[200, "ready", undefined], 0]);
    expect((await ask("/v1/daos")).status).toBe(200);
    expect(lines).toContainEqual(expect.objectContaining({ store, msg: "store answers again" }));
  });

  it("is noticed while nobody asks for anything", async () => {
    const aside = mkdtempSync(join(folder, "aside-"));
    move(name, [home, aside]);
    const afterASecond = async () => {
      await aSecond();
      return readiness();
    };
    await expect.poll(afterASecond).toEqual([503, "unavailable", reason]);
    move(name, [aside, home]);
    await expect.poll(afterASecond).toEqual([200, "ready", undefined]);
  });
});
