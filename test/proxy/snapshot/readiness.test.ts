import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readinessOf } from "../../../proxy/snapshot/readiness.ts";
import {
  readRemoteStatus,
  removeRemoteStatus,
  writeRemoteStatus,
} from "../../../proxy/snapshot/remote-status.ts";
import { openSequenceMemory } from "../../../proxy/snapshot/sequence-memory.ts";
import type { RemoteStatus, SnapshotStatus } from "../../../proxy/snapshot/snapshot-source.ts";
import { SEQUENCE_MAX } from "../../../snapshots/format/limits.ts";
import { Pointer } from "../../../snapshots/format/manifest.ts";
import { fakeReader, pointerTo } from "../support/fake-reader.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PUBLISHED = Date.parse("2026-04-01T01:00:00.000Z");
const HOUR = 3_600_000;

const LATE = { maxAgeMs: HOUR, nowMs: PUBLISHED + HOUR + 1 };
const REFUSED = "20260402T010000Z-0badf00d";
const SERVED = { version: fakeReader(3).version, sequence: 3 };

const remote = (problem: RemoteStatus["problem"], refusedVersion?: string) => ({
  remote: { problem, refusedVersion, upToDateAtMs: undefined, bytesPulled: 0 },
});

interface Situation {
  readonly why: string;
  readonly status?: Partial<SnapshotStatus>;
  readonly facts?: Partial<Parameters<typeof readinessOf>[1]>;
  /** HTTP status, state and reason. */
  readonly want: string;
  /** What else the body has, or has not. */
  readonly more?: Readonly<Record<string, unknown>>;
}

describe("readinessOf", () => {
  const NOTHING = { serving: undefined };
  it.each<Situation>([
    { why: "nothing yet", status: NOTHING, want: "503 unavailable SNAPSHOT_MISSING" },
    {
      why: "nothing, why, and of which version",
      status: { ...NOTHING, problem: "SNAPSHOT_INVALID", refusedVersion: REFUSED },
      want: "503 unavailable SNAPSHOT_INVALID",
      more: { refused_version: REFUSED },
    },
    {
      why: "fresh",
      want: "200 ready",
      more: { ...SERVED, signatures: undefined, entities: undefined, refused_version: undefined },
    },
    {
      why: "the newest does not verify",
      status: { problem: "SNAPSHOT_ROLLED_BACK", refusedVersion: REFUSED },
      want: "200 degraded SNAPSHOT_ROLLED_BACK",
      more: { ...SERVED, refused_version: REFUSED },
    },
    {
      why: "the place that it is copied from is away",
      status: remote("REMOTE_AWAY"),
      want: "200 degraded REMOTE_AWAY",
      more: { ...SERVED, refused_version: undefined },
    },
    {
      why: "a version there could not be copied",
      status: remote("REMOTE_STALE", REFUSED),
      want: "200 degraded REMOTE_STALE",
      more: { refused_version: REFUSED },
    },
    {
      why: "the place is away, and what came before does not verify",
      status: { problem: "SNAPSHOT_INVALID", ...remote("REMOTE_AWAY") },
      want: "200 degraded SNAPSHOT_INVALID",
    },
    {
      why: "the place is away for longer than the age limit",
      status: remote("REMOTE_AWAY"),
      facts: LATE,
      want: "503 unavailable SNAPSHOT_STALE",
      more: SERVED,
    },
    {
      why: "the place is away, and there is no copy",
      status: { ...NOTHING, ...remote("REMOTE_AWAY") },
      want: "503 unavailable SNAPSHOT_MISSING",
    },
    {
      why: "exactly at the age limit",
      facts: { maxAgeMs: HOUR, nowMs: PUBLISHED + HOUR },
      want: "200 ready",
    },
    { why: "past the age limit", facts: LATE, want: "503 unavailable SNAPSHOT_STALE" },
    { why: "no age limit", facts: { nowMs: PUBLISHED + 9999 * HOUR }, want: "200 ready" },
    { why: "stopping", facts: { isStopping: true }, want: "503 unavailable SHUTTING_DOWN" },
    {
      why: "a store is down",
      facts: { storeProblem: "QUOTA_DOWN" },
      want: "503 unavailable QUOTA_DOWN",
      more: SERVED,
    },
    {
      why: "a store is down, and the newest does not verify",
      status: { problem: "SNAPSHOT_INVALID" },
      facts: { storeProblem: "KEYS_DOWN" },
      want: "503 unavailable KEYS_DOWN",
    },
    {
      why: "a store is down while stopping",
      facts: { isStopping: true, storeProblem: "KEYS_DOWN" },
      want: "503 unavailable SHUTTING_DOWN",
    },
    {
      why: "a store is down, and there is nothing to serve",
      status: NOTHING,
      facts: { storeProblem: "KEYS_DOWN" },
      want: "503 unavailable SNAPSHOT_MISSING",
    },
    {
      why: "an account gets nothing because of its count",
      facts: { hasInvalidCount: true },
      want: "200 degraded QUOTA_COUNT_INVALID",
    },
    {
      why: "nobody asks who signed what is copied",
      facts: { isUnsignedCopy: true },
      want: "200 ready",
      more: { signatures: "unchecked" },
    },
  ])("$why", ({ status, facts, want, more = {} }) => {
    const given = readinessOf(
      { serving: fakeReader(3), problem: undefined, optOutsProblem: undefined, ...status },
      {
        nowMs: PUBLISHED,
        maxAgeMs: undefined,
        isStopping: false,
        isUnsignedCopy: false,
        storeProblem: undefined,
        ...facts,
      },
    );
    const body: Readonly<Record<string, unknown>> = given.body;
    expect([given.httpStatus, body["status"], body["reason"]].filter(Boolean).join(" ")).toBe(want);
    for (const [name, value] of Object.entries(more)) expect(body[name], name).toBe(value);
  });
});

const folder = temporaryFolder();

describe("openSequenceMemory", () => {
  const home = () => mkdtempSync(join(folder, "home-"));

  it("remembers over a restart, in a file of its owner's", async () => {
    const directory = home();
    expect(openSequenceMemory(directory).highest()).toBe(0);
    await openSequenceMemory(directory).remember(41);
    const again = openSequenceMemory(directory);
    await again.remember(42);
    expect(again.highest()).toBe(42);
    expect(openSequenceMemory(directory).highest()).toBe(42);
    expect(readdirSync(directory)).toEqual(["highest-sequence"]);
    expect(statSync(join(directory, "highest-sequence")).mode & 0o777).toBe(0o600);
  });

  it.each(["", "0", "-1", "1.5", "4 2", "x", "99999999999999999999"])(
    "refuses a damaged file: %j",
    (text) => {
      const directory = home();
      writeFileSync(join(directory, "highest-sequence"), text);
      expect(() => openSequenceMemory(directory)).toThrow(
        expect.objectContaining({ code: "SNAPSHOT_INVALID" }),
      );
    },
  );

  it("keeps the old number when the new one cannot be written", async () => {
    const directory = home();
    const memory = openSequenceMemory(directory);
    await memory.remember(1);
    rmSync(directory, { recursive: true });
    const says = "highest-sequence in the proxy's home cannot be written (ENOENT)";
    await expect(memory.remember(2)).rejects.toThrow(says);
    expect(memory.highest()).toBe(1);
  });

  it.each([
    { why: "nothing was served", served: 0, sequenceMin: 40, want: 40 },
    { why: "less was served", served: 39, sequenceMin: 40, want: 40 },
    { why: "more was served", served: 41, sequenceMin: 40, want: 41 },
  ])("begins at the lowest sequence to accept where $why", async ({ served, sequenceMin, want }) => {
    const directory = home();
    if (served > 0) await openSequenceMemory(directory).remember(served);
    expect(openSequenceMemory(directory, { sequenceMin }).highest()).toBe(want);
  });

  it("remembers the last sequence, and refuses none, where it may go back", async () => {
    const directory = home();
    await openSequenceMemory(directory).remember(900);
    const memory = openSequenceMemory(directory, { sequenceMin: 4, mayGoBack: true });
    expect(memory.highest()).toBe(4);
    await memory.remember(5);
    expect([memory.highest(), openSequenceMemory(directory).highest()]).toEqual([4, 5]);
  });

  it("remembers the highest sequence that a pointer can have, and reads it again", async () => {
    const directory = home();
    expect(Pointer.safeParse({ ...pointerTo(1), sequence: SEQUENCE_MAX }).success).toBe(true);
    expect(Pointer.safeParse({ ...pointerTo(1), sequence: SEQUENCE_MAX + 1 }).success).toBe(false);
    await openSequenceMemory(directory).remember(SEQUENCE_MAX);
    expect(openSequenceMemory(directory).highest()).toBe(SEQUENCE_MAX);
  });
});

const NOW_MS = Date.parse("2026-04-01T12:00:00Z");
const WELL = { problem: undefined, refusedVersion: undefined, upToDateAtMs: NOW_MS - 5, bytesPulled: 7 };
const BEHIND = { ...WELL, problem: "REMOTE_INVALID", refusedVersion: "2026-04-01-1" } as const;

it.each([WELL, BEHIND])("tells a server what follow reported a moment ago: $problem", (status) => {
  const home = mkdtempSync(join(folder, "home-"));
  writeRemoteStatus(home, BEHIND, NOW_MS - 1);
  writeRemoteStatus(home, status, NOW_MS);
  expect(readRemoteStatus(home, NOW_MS + 9_999)).toEqual(status);
  expect(readdirSync(home), "nothing half written").toHaveLength(1);
});

it.each([
  { why: "it was silent for ten seconds", atMs: NOW_MS + 10_000 },
  { why: "the clock was set back by more", atMs: NOW_MS - 10_000 },
])("says that nobody follows, and what was known last: $why", ({ atMs }) => {
  const home = mkdtempSync(join(folder, "home-"));
  writeRemoteStatus(home, BEHIND, NOW_MS);
  expect(readRemoteStatus(home, atMs)).toEqual({ ...WELL, problem: "REMOTE_NOT_FOLLOWED" });
});

it.each([
  { why: "follow never ran", spoil: removeRemoteStatus },
  {
    why: "the report is cut off",
    spoil: (home: string) => {
      for (const name of readdirSync(home)) writeFileSync(join(home, name), "{");
    },
  },
])("says that nobody follows: $why", ({ spoil }) => {
  const home = mkdtempSync(join(folder, "home-"));
  writeRemoteStatus(home, WELL, NOW_MS);
  spoil(home);
  const unknown = { refusedVersion: undefined, upToDateAtMs: undefined, bytesPulled: 0 };
  expect(readRemoteStatus(home, NOW_MS)).toEqual({ problem: "REMOTE_NOT_FOLLOWED", ...unknown });
});
