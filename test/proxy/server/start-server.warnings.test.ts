import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { expect, it } from "vitest";
import { createKey, revokeKey } from "../../../proxy/keys/issue-keys.ts";
import { openKeyStore } from "../../../proxy/keys/key-store.ts";
import { closeDays } from "../../../proxy/quota/sqlite/edit-counts.ts";
import { startServer } from "../../../proxy/server/start-server.ts";
import { readServeSettings } from "../../../proxy/settings.ts";
import { openSnapshot } from "../../../snapshots/store/read/open-snapshot.ts";
import { readPointer } from "../../../snapshots/store/read/read-pointer.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const [FIRST, SECOND] = ["first".repeat(8), "second".repeat(8)];
const NOW = 1_000;

/** A home with keys under both peppers: of the first one active, one revoked, one expired. */
function homeWithKeys(): string {
  const home = mkdtempSync(join(folder, "home-"));
  const store = openKeyStore(join(home, "keys.db"), 100);
  const keyUnder = (pepper: string, expiresAtMs: number | null) =>
    createKey(
      { store, pepper, nowMs: 0, randomBytes },
      { account: "a", terms: { tier: "pro" }, environment: "live", expiresAtMs },
    ).record.keyId;
  keyUnder(FIRST, NOW + 1);
  keyUnder(FIRST, NOW);
  revokeKey(store, keyUnder(FIRST, null), 0);
  keyUnder(SECOND, null);
  store.close();
  return home;
}

interface Start {
  readonly closedThrough?: string;
  readonly home?: string;
  readonly port?: number;
  readonly host?: string;
}

async function startWith(pepper: string, openFilesMax: number | undefined, start: Start = {}) {
  const { closedThrough, home = homeWithKeys(), port = 0, host = "127.0.0.1" } = start;
  if (closedThrough !== undefined) closeDays(join(home, "quota.db"), closedThrough);
  const lines: string[] = [];
  const snapshots = join(home, "none");
  const server = await startServer(
    { home, snapshots, optouts: join(home, "optouts.db") },
    readServeSettings({ port: String(port), host }, {}),
    {
      nowMs: () => NOW,
      monotonicMs: () => NOW,
      randomBytes,
      logStream: { write: (line) => void lines.push(line) },
      pepper,
      openFilesMax,
      versions: { readPointer: () => readPointer(snapshots), open: () => openSnapshot(snapshots) },
      repeat: () => () => {},
    },
  );
  await server.stop();
  return { warnings: server.warnings, log: lines.join("") };
}

it.each([
  { why: "both peppers and many files", pepper: `${SECOND}\n${FIRST}`, files: 1_000_000, says: [] },
  { why: "nobody knows how many files", pepper: `${SECOND}\n${FIRST}`, files: undefined, says: [] },
  {
    why: "the old pepper was taken away too early",
    pepper: SECOND,
    files: undefined,
    says: ["1 active key was stored with a pepper that is missing here"],
  },
  {
    why: "few files and the new pepper gone",
    pepper: FIRST,
    files: 1024,
    says: ["only 896 connections", "1 active key was"],
  },
])("tells the operator at the start: $why", async ({ pepper, files, says }) => {
  const { warnings, log } = await startWith(pepper, files);
  expect(warnings).toEqual(says.map((words) => expect.stringContaining(words)));
  for (const words of says) expect(log).toContain(words);
});

it.each([
  { why: "the day before", closedThrough: "1969-12-31", says: [] },
  { why: "today", closedThrough: "1970-01-01", says: ["at its limit until 1970-01-02T00:00:00.000Z"] },
  { why: "a clock that is behind", closedThrough: "1970-01-02", says: ["until 1970-01-03T00:00:00.000Z"] },
])("tells the operator of a day that a restore has closed: $why", async ({ closedThrough, says }) => {
  const { warnings } = await startWith(`${SECOND}\n${FIRST}`, undefined, { closedThrough });
  expect(warnings).toEqual(says.map((words) => expect.stringContaining(words)));
});

it("tells the operator that there is no key here: of many machines, one may not know where they are", async () => {
  const { warnings, log } = await startWith(FIRST, undefined, { home: mkdtempSync(join(folder, "home-")) });
  expect(warnings).toEqual([expect.stringContaining("there is no key in this home")]);
  expect(log).toContain('"keysAndQuota":"files in the home"');
});

it.each([
  { host: "127.0.0.1", isWarned: false },
  { host: "localhost", isWarned: false },
  { host: "0.0.0.0", isWarned: true },
])("warns that keys travel in clear where it listens beyond loopback: $host", async ({ host, isWarned }) => {
  const { warnings } = await startWith(`${SECOND}\n${FIRST}`, undefined, { host });
  expect(warnings).toEqual(isWarned ? [expect.stringContaining("without TLS, so keys travel in clear")] : []);
});

it("does not start where hardly a connection would fit, and has not touched a store", async () => {
  const home = homeWithKeys();
  await expect(startWith(FIRST, 100, { home })).rejects.toMatchObject({ code: "OPEN_FILES_TOO_FEW" });
  // An open store has its log beside it, and a server makes its counter.
  expect(readdirSync(home)).toEqual(["keys.db"]);
});

it("leaves nothing open where the port is taken", async () => {
  const home = homeWithKeys();
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  try {
    await expect(startWith(FIRST, undefined, { home, port })).rejects.toMatchObject({
      code: "ADDRESS_UNUSABLE",
    });
  } finally {
    await new Promise((resolve) => taken.close(resolve));
  }
  expect(readdirSync(home).sort()).toEqual(["keys.db", "quota.db"]);
});
