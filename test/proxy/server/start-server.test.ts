import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createKey, revokeKey } from "../../../proxy/keys/issue-keys.ts";
import { openKeyTable } from "../../../proxy/keys/key-table.ts";
import { closeDays } from "../../../proxy/quota/sqlite/edit-counts.ts";
import { DAY_MS } from "../../../snapshots/base/days.ts";
import { FORMAT_VERSION } from "../../../snapshots/format/limits.ts";
import { replaceFile } from "../../snapshots/store/temporary-root.ts";
import { FIXTURE_AS_OF_MS, publishedSet, publishFixture } from "../../support/published-set.ts";
import { folderWithFixture } from "../support/fixture-folder.ts";
import { proKeyIn, startTestServer, startWithKey } from "../support/started-server.ts";

const { folder, published } = folderWithFixture();

type Started = Awaited<ReturnType<typeof startWithKey>>;

describe("a key store that is replaced under a running server", () => {
  it("lets in whom the new one knows, and nobody else", async () => {
    const { server, home, key } = await startWithKey({ folder, snapshots: published });
    const restored = mkdtempSync(join(folder, "restored-"));
    const known = proKeyIn(restored);
    for (const file of ["keys.db-wal", "keys.db-shm"]) rmSync(join(home, file), { force: true });
    renameSync(join(restored, "keys.db"), join(home, "keys.db"));
    const statusWith = async (presented: string) =>
      (await fetch(`${server.address}/v1/daos`, { headers: { "x-api-key": presented } })).status;
    expect([await statusWith(known), await statusWith(key)]).toEqual([200, 401]);
    await server.stop();
  });
});

describe("following the pointer", () => {
  const readyz = async ({ server }: Started): Promise<Record<string, unknown>> => {
    const answer = await fetch(`${server.address}/readyz`);
    return { httpStatus: answer.status, ...((await answer.json()) as object) };
  };
  const asOf = async ({ server, key }: Started) => {
    const answer = await fetch(`${server.address}/v1/dgi`, { headers: { "x-api-key": key } });
    const body = (await answer.json()) as { data: { calculated_at: string } };
    return [answer.status, answer.headers.get("x-snapshot-version"), body.data.calculated_at];
  };

  it("serves what is published next; keeps the last good one when that is broken; refuses to go back", async () => {
    const root = join(folder, "moving");
    const started = await startWithKey({ folder, snapshots: root });
    expect(await readyz(started)).toMatchObject({ httpStatus: 503 });
    const first = await publishFixture(root);
    const before = join(folder, "before");
    cpSync(root, before, { recursive: true });
    await started.poll();
    expect((await asOf(started))[1]).toBe(first.version);

    const second = await publishFixture(root, { set: publishedSet(FIXTURE_AS_OF_MS + DAY_MS) });
    await started.poll();
    expect(await asOf(started)).toEqual([200, second.version, "2026-04-01T23:59:59.999Z"]);

    const pointer = readFileSync(join(root, "current.json"), "utf8");
    const kept = { httpStatus: 200, status: "degraded", sequence: 2 };
    for (const format of [FORMAT_VERSION - 1, FORMAT_VERSION + 1]) {
      const other = pointer.replace(`"format":${FORMAT_VERSION}`, `"format":${format}`);
      replaceFile(join(root, "current.json"), other);
      await started.poll();
      expect(await readyz(started)).toMatchObject({ ...kept, reason: "SNAPSHOT_FORMAT_UNKNOWN" });
    }
    replaceFile(join(root, "current.json"), pointer);

    const third = await publishFixture(root, { set: publishedSet(FIXTURE_AS_OF_MS + 2 * DAY_MS) });
    const index = join(root, third.version, "index.sqlite");
    const bytes = readFileSync(index);
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
    replaceFile(index, bytes);
    await started.poll();
    expect(await readyz(started)).toMatchObject({
      ...kept,
      reason: "SNAPSHOT_INVALID",
      refused_version: third.version,
    });
    expect((await asOf(started))[1]).toBe(second.version);

    rmSync(root, { recursive: true });
    cpSync(before, root, { recursive: true });
    await started.poll();
    expect(await readyz(started)).toMatchObject({ ...kept, reason: "SNAPSHOT_ROLLED_BACK" });
    expect((await asOf(started))[0]).toBe(200);
    await started.server.stop();

    const again = await startWithKey({ folder, snapshots: root, home: started.home });
    expect(await readyz(again)).toMatchObject({ status: "unavailable", reason: "SNAPSHOT_ROLLED_BACK" });
    await again.server.stop();
  });
});

it("listens on one address of a name, so that every connection is tended", async () => {
  const { server, key } = await startWithKey({ folder, snapshots: published, flags: { host: "localhost" } });
  const port = Number(new URL(server.address).port);
  const isTaken = async (host: string) => {
    const socket = connect({ host, port });
    const isOpen = await once(socket, "connect").then(
      () => true,
      () => false,
    );
    socket.destroy();
    return isOpen;
  };
  expect((await Promise.all(["127.0.0.1", "::1"].map(isTaken))).filter(Boolean)).toHaveLength(1);
  const answer = await fetch(`${server.address}/v1/dgi`, { headers: { "x-api-key": key } });
  expect(answer.status).toBe(200);
  await answer.arrayBuffer();
  await server.stop();
});

describe("at the start the operator", () => {
  const [FIRST, SECOND] = ["first".repeat(8), "second".repeat(8)];
  const BOTH = `${SECOND}\n${FIRST}`;
  const NOW = 1_000;

  /** A home with keys under both peppers: of the first one active, one revoked, one expired. */
  function homeWithKeys(): string {
    const home = mkdtempSync(join(folder, "home-"));
    const table = openKeyTable(join(home, "keys.db"), 100);
    const keyUnder = (pepper: string, expiresAtMs: number | null) =>
      createKey(
        { table, pepper, nowMs: 0, randomBytes },
        { account: "a", terms: { tier: "pro" }, environment: "live", expiresAtMs },
      ).record.keyId;
    keyUnder(FIRST, NOW + 1);
    keyUnder(FIRST, NOW);
    revokeKey(table, keyUnder(FIRST, null), 0);
    keyUnder(SECOND, null);
    table.close();
    return home;
  }

  type Start = Partial<
    Record<"pepper" | "closedThrough" | "home" | "host", string> & Record<"openFilesMax" | "port", number>
  >;

  async function startWith(start: Start = {}) {
    const { pepper = BOTH, openFilesMax, closedThrough, home = homeWithKeys(), port = 0 } = start;
    if (closedThrough !== undefined) closeDays(join(home, "quota.db"), closedThrough);
    const lines: string[] = [];
    const server = await startTestServer(
      { home, snapshots: join(home, "none") },
      {
        flags: { port: String(port), host: start.host ?? "127.0.0.1" },
        nowMs: () => NOW,
        logStream: { write: (line) => void lines.push(line) },
        pepper,
        openFilesMax,
      },
    );
    await server.stop();
    return { warnings: server.warnings, log: lines.join("") };
  }

  const [PEPPER_GONE, NOT_TLS] = [
    "1 active key was stored with a pepper that is missing here",
    "without TLS, so keys travel in clear",
  ] as const;
  const closedUntil = (day: string) => `at its limit until ${day}T00:00:00.000Z`;
  it.each<Start & { why: string; says: readonly string[] }>([
    { why: "nothing where all is well, and nobody knows how many files may be open", says: [] },
    { why: "nothing where many files may be open", openFilesMax: 1_000_000, says: [] },
    { why: "that the old pepper was taken away too early", pepper: SECOND, says: [PEPPER_GONE] },
    {
      why: "that few files may be open, and the new pepper is gone",
      pepper: FIRST,
      openFilesMax: 1024,
      says: ["only 896 connections", PEPPER_GONE],
    },
    { why: "nothing of a closed day that is over", closedThrough: "1969-12-31", says: [] },
    { why: "that today is closed", closedThrough: "1970-01-01", says: [closedUntil("1970-01-02")] },
    { why: "that its clock is behind", closedThrough: "1970-01-02", says: [closedUntil("1970-01-03")] },
    { why: "nothing of TLS on loopback", host: "localhost", says: [] },
    { why: "that keys travel in clear beyond loopback", host: "0.0.0.0", says: [NOT_TLS] },
  ])("is told $why", async ({ why: _why, says, ...start }) => {
    const { warnings, log } = await startWith(start);
    expect(warnings).toEqual(says.map((words) => expect.stringContaining(words)));
    for (const words of says) expect(log).toContain(words);
  });

  it("is told that there is no key here: of many machines, one may not know where they are", async () => {
    const { warnings, log } = await startWith({ home: mkdtempSync(join(folder, "home-")) });
    expect(warnings).toEqual([expect.stringContaining("there is no key in this home")]);
    expect(log).toContain('"keysAndQuota":"files in the home"');
  });

  it("is refused where hardly a connection would fit, and no store is touched", async () => {
    const home = homeWithKeys();
    await expect(startWith({ openFilesMax: 100, home })).rejects.toMatchObject({
      code: "OPEN_FILES_TOO_FEW",
    });
    // An open store has its log beside it, and a server makes its counter.
    expect(readdirSync(home)).toEqual(["keys.db"]);
  });

  it("is refused where the port is taken, and nothing is left open", async () => {
    const home = homeWithKeys();
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const { port } = taken.address() as { port: number };
    await expect(startWith({ home, port })).rejects.toMatchObject({ code: "ADDRESS_UNUSABLE" });
    taken.close();
    expect(readdirSync(home).sort()).toEqual(["keys.db", "quota.db"]);
  });
});
