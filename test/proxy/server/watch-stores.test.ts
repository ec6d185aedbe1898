import { mkdtempSync, renameSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Store, watchStores } from "../../../proxy/server/watch-stores.ts";
import { folderWithFixture } from "../support/fixture-folder.ts";
import { parsePrometheus, sampleIn } from "../support/prometheus-text.ts";
import { startWithKey } from "../support/started-server.ts";
import { NOON_MS } from "../support/test-proxy.ts";

const busy = () => Object.assign(new Error("held"), { code: "SQLITE_BUSY" });
const full = () => Object.assign(new Error("full"), { code: "SQLITE_FULL" });

/** A watch over two fakes, of which a test says how each next look ends. */
function watched() {
  const ends: Record<Store, Error | undefined> = { keys: undefined, quota: undefined };
  const looks = { keys: 0, quota: 0 };
  const changes: string[] = [];
  const probe = (store: Store) => (mayWrite: boolean) => {
    // As the file of the quota, of which a look is a write.
    if (store === "quota" && !mayWrite) return;
    looks[store] += 1;
    if (ends[store] !== undefined) throw ends[store];
  };
  const watch = watchStores({
    probes: { keys: probe("keys"), quota: probe("quota") },
    onChange: (store, error) => void changes.push(`${store} ${error === undefined ? "up" : "down"}`),
  });
  return { watch, ends, looks, changes };
}

/** Seconds, one character each, of one store: how its look would end (`.` well, `x` full, `b` busy), and what holds after it. */
const SECONDS = [
  { why: "it answers", ends: "......", holds: "uuuuuu" },
  { why: "it fails, and comes back by itself", ends: ".xxx..", holds: "uddduu" },
  { why: "another program has it open for a moment", ends: ".b.b.b", holds: "uuuuuu" },
  { why: "another program does not let go", ends: ".bbb..", holds: "uudduu" },
  { why: "it is held right after it failed", ends: "xb.b..", holds: "dduuuu" },
];

it.each(SECONDS)("keys, looked at each second: $why", ({ ends, holds }) => {
  const setup = watched();
  const seen = [...ends].map((end) => {
    setup.ends.keys = { x: full(), b: busy() }[end];
    setup.watch.look();
    expect(setup.watch.problem()).toBe(setup.watch.isDown("keys") ? "KEYS_DOWN" : undefined);
    return setup.watch.isDown("keys") ? "d" : "u";
  });
  expect(seen.join("")).toBe(holds);
});

describe("the quota, of which a look is a write", () => {
  it("is looked at every fifth second while all is well", () => {
    const { watch, looks } = watched();
    for (let second = 0; second < 11; second += 1) watch.look();
    expect(looks).toEqual({ keys: 11, quota: 3 });
  });

  it("is looked at the next second when a request failed, and as long as it is down", () => {
    const { watch, ends, looks, changes } = watched();
    watch.look();
    ends.quota = full();
    for (let request = 0; request < 100; request += 1) watch.suspect("quota");
    expect(watch.problem(), "what a request met turns nothing").toBeUndefined();
    watch.look();
    expect([watch.problem(), looks.quota]).toEqual(["QUOTA_DOWN", 2]);
    watch.look();
    ends.quota = undefined;
    watch.look();
    expect([watch.problem(), looks.quota]).toEqual([undefined, 4]);
    watch.look();
    expect(looks.quota).toBe(4);
    expect(changes).toEqual(["quota down", "quota up"]);
  });

  it("stays up where a request failed and the store does not", () => {
    const { watch, changes } = watched();
    watch.look();
    watch.suspect("quota");
    watch.look();
    expect([watch.problem(), changes]).toEqual([undefined, []]);
  });
});

it("names the keys where both are down, and tells each change once", () => {
  const { watch, ends, changes } = watched();
  ends.keys = full();
  ends.quota = new Error("told in words of its own", { cause: full() });
  for (let second = 0; second < 3; second += 1) watch.look();
  expect([watch.problem(), watch.isDown("quota")]).toEqual(["KEYS_DOWN", true]);
  expect(changes).toEqual(["keys down", "quota down"]);
});

describe("a store that is far away", () => {
  /** A watch over a quota that answers when a test says so. */
  function farAway() {
    const answers: ((error?: Error) => void)[] = [];
    const changes: string[] = [];
    const watch = watchStores({
      probes: {
        keys: () => {},
        quota: () =>
          new Promise<void>((resolve, reject) => {
            answers.push((error) => (error === undefined ? resolve() : reject(error)));
          }),
      },
      onChange: (store, error) => {
        const { code } = (error ?? {}) as { readonly code?: string };
        changes.push(
          [store, error === undefined ? "up" : "down", ...(code === undefined ? [] : [code])].join(" "),
        );
      },
    });
    const answer = async (error?: Error) => {
      answers.shift()?.(error);
      await new Promise((resolve) => setImmediate(resolve));
    };
    return { watch, answers, answer, changes };
  }

  it("is looked at each second, and down and up by what it answers", async () => {
    const { watch, answer, changes } = farAway();
    watch.look();
    await answer(new Error("away"));
    expect(watch.problem()).toBe("QUOTA_DOWN");
    watch.look();
    await answer();
    expect([watch.problem(), changes]).toEqual([undefined, ["quota down", "quota up"]]);
  });

  it("is down where it has not answered for five looks, as on a disk that hangs, and up when it does", async () => {
    const { watch, answers, answer, changes } = farAway();
    for (let second = 0; second < 5; second += 1) watch.look();
    expect(watch.problem()).toBeUndefined();
    for (let second = 0; second < 3; second += 1) watch.look();
    expect([watch.problem(), changes, answers.length]).toEqual(["QUOTA_DOWN", ["quota down STORE_HANGS"], 1]);
    await answer();
    expect([watch.problem(), changes.at(-1)]).toEqual([undefined, "quota up"]);
    watch.look();
    await answer();
    for (let second = 0; second < 5; second += 1) watch.look();
    expect(watch.problem(), "the next one has as long").toBeUndefined();
  });

  it("is not asked again before it has answered", async () => {
    const { watch, answers, answer } = farAway();
    for (let second = 0; second < 5; second += 1) watch.look();
    expect(answers).toHaveLength(1);
    await answer();
    watch.look();
    expect(answers).toHaveLength(1);
  });
});

describe("down", () => {
  const { folder, published } = folderWithFixture();
  const clock = { nowMs: NOON_MS };
  let started: Awaited<ReturnType<typeof startWithKey>>;

  beforeAll(async () => {
    started = await startWithKey({
      folder,
      snapshots: published,
      flags: { adminPort: "0" },
      nowMs: () => clock.nowMs,
    });
  });
  afterAll(() => started.server.stop());

  const ask = async (path: string) => {
    const answer = await fetch(`${started.server.address}${path}`, { headers: { "x-api-key": started.key } });
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  };
  const readiness = async () => {
    const { status, body } = await ask("/readyz");
    return [status, body["status"], body["reason"]];
  };
  const metric = async (name: string, labels = {}) => {
    const told = parsePrometheus(await (await fetch(`${started.server.adminAddress}/metrics`)).text());
    return sampleIn(told, `govdata_proxy_${name}`, labels);
  };
  const isDown = (store: string) => metric("store_down", { store });

  /** A second passes, and what is remembered of keys with it. */
  async function aSecond(): Promise<void> {
    clock.nowMs += 1_000;
    await started.poll();
  }

  function move(name: string, [from, to]: readonly [string, string]): void {
    for (const end of ["", "-wal", "-shm"]) renameSync(join(from, name + end), join(to, name + end));
  }

  it("says in the log how many opt-outs it obeys: an old list put back is shorter", async () => {
    await aSecond();
    expect(started.lines).toContainEqual(expect.objectContaining({ msg: "opt-outs obeyed", count: 0 }));
  });

  describe.each([
    { name: "keys.db", store: "keys", reason: "KEYS_DOWN", code: "ENOENT" },
    { name: "quota.db", store: "quota", reason: "QUOTA_DOWN", code: "QUOTA_FILE_CHANGED" },
  ])("$name, taken away under a running server and put back", ({ name, store, reason, code }) => {
    it("is said by /readyz, a number and the log, and nothing else is said when it is back", async () => {
      const aside = mkdtempSync(join(folder, "aside-"));
      await aSecond();
      expect([(await ask("/v1/daos")).status, await readiness()]).toEqual([200, [200, "ready", undefined]]);
      move(name, [started.home, aside]);
      started.lines.length = 0;
      clock.nowMs += 1_000;
      expect((await ask("/v1/daos")).status).toBe(503);
      expect((await readiness())[0], "what a caller met turns nothing").toBe(200);
      expect(await metric("quota_commit_failures_total")).toBe(store === "quota" ? 1 : 0);
      await aSecond();
      expect([await readiness(), await isDown(store)]).toEqual([[503, "unavailable", reason], 1]);
      await aSecond();
      const told = started.lines.filter(({ msg }) => String(msg).startsWith("store down"));
      expect(told).toMatchObject([{ store, code, level: 50 }]);
      expect(JSON.stringify(started.lines)).not.toContain(started.home);

      move(name, [aside, started.home]);
      // The counter is looked at by a write, which takes as long as the disk does.
      const afterASecond = async () => {
        await aSecond();
        return [await readiness(), await isDown(store)];
      };
      await expect.poll(afterASecond).toEqual([[200, "ready", undefined], 0]);
      expect((await ask("/v1/daos")).status).toBe(200);
      expect(started.lines).toContainEqual(expect.objectContaining({ store, msg: "store answers again" }));
    });

    it("is noticed while nobody asks for anything", async () => {
      const aside = mkdtempSync(join(folder, "aside-"));
      move(name, [started.home, aside]);
      const afterASecond = async () => {
        await aSecond();
        return readiness();
      };
      await expect.poll(afterASecond).toEqual([503, "unavailable", reason]);
      move(name, [aside, started.home]);
      await expect.poll(afterASecond).toEqual([200, "ready", undefined]);
    });
  });
});
