import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readinessOf } from "../../../proxy/snapshot/readiness.ts";
import { openSequenceMemory } from "../../../proxy/snapshot/sequence-memory.ts";
import type { RemoteStatus } from "../../../proxy/snapshot/snapshot-source.ts";
import { SEQUENCE_MAX } from "../../../snapshots/format/limits.ts";
import { Pointer } from "../../../snapshots/format/manifest.ts";
import { fakeReader, pointerTo } from "../support/fake-reader.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const PUBLISHED = Date.parse("2026-04-01T01:00:00.000Z");
const HOUR = 3_600_000;

const remoteWith = (problem: RemoteStatus["problem"], refusedVersion?: string): RemoteStatus => ({
  problem,
  refusedVersion,
  upToDateAtMs: undefined,
  bytesPulled: 0,
});

describe("readinessOf", () => {
  it.each([
    { why: "nothing yet", serving: false, want: [503, "unavailable", "SNAPSHOT_MISSING"] },
    {
      why: "nothing, and why",
      serving: false,
      problem: "SNAPSHOT_INVALID",
      want: [503, "unavailable", "SNAPSHOT_INVALID"],
    },
    { why: "fresh", serving: true, want: [200, "ready", undefined] },
    {
      why: "the newest does not verify",
      serving: true,
      problem: "SNAPSHOT_ROLLED_BACK",
      want: [200, "degraded", "SNAPSHOT_ROLLED_BACK"],
    },
    {
      why: "the place that it is copied from is away",
      serving: true,
      remoteProblem: "REMOTE_AWAY",
      want: [200, "degraded", "REMOTE_AWAY"],
    },
    {
      why: "the place is away, and what came before does not verify",
      serving: true,
      problem: "SNAPSHOT_INVALID",
      remoteProblem: "REMOTE_AWAY",
      want: [200, "degraded", "SNAPSHOT_INVALID"],
    },
    {
      why: "the place is away for longer than the age limit",
      serving: true,
      remoteProblem: "REMOTE_AWAY",
      maxAgeMs: HOUR,
      ageMs: HOUR + 1,
      want: [503, "unavailable", "SNAPSHOT_STALE"],
    },
    {
      why: "the place is away, and there is no copy",
      serving: false,
      remoteProblem: "REMOTE_AWAY",
      want: [503, "unavailable", "SNAPSHOT_MISSING"],
    },
    {
      why: "exactly at the age limit",
      serving: true,
      maxAgeMs: HOUR,
      ageMs: HOUR,
      want: [200, "ready", undefined],
    },
    {
      why: "past the age limit",
      serving: true,
      maxAgeMs: HOUR,
      ageMs: HOUR + 1,
      want: [503, "unavailable", "SNAPSHOT_STALE"],
    },
    { why: "no age limit", serving: true, ageMs: 9999 * HOUR, want: [200, "ready", undefined] },
    { why: "stopping", serving: true, isStopping: true, want: [503, "unavailable", "SHUTTING_DOWN"] },
    {
      why: "a store is down",
      serving: true,
      storeProblem: "QUOTA_DOWN",
      want: [503, "unavailable", "QUOTA_DOWN"],
    },
    {
      why: "a store is down, and the newest does not verify",
      serving: true,
      problem: "SNAPSHOT_INVALID",
      storeProblem: "KEYS_DOWN",
      want: [503, "unavailable", "KEYS_DOWN"],
    },
    {
      why: "a store is down while stopping",
      serving: true,
      isStopping: true,
      storeProblem: "KEYS_DOWN",
      want: [503, "unavailable", "SHUTTING_DOWN"],
    },
    {
      why: "a store is down, and there is nothing to serve",
      serving: false,
      storeProblem: "KEYS_DOWN",
      want: [503, "unavailable", "SNAPSHOT_MISSING"],
    },
  ] as const)("$why", (row) => {
    const { httpStatus, body } = readinessOf(
      {
        serving: row.serving ? fakeReader(3) : undefined,
        problem: "problem" in row ? row.problem : undefined,
        remote: remoteWith("remoteProblem" in row ? row.remoteProblem : undefined),
        optOutsProblem: undefined,
      },
      {
        nowMs: PUBLISHED + ("ageMs" in row ? row.ageMs : 0),
        maxAgeMs: "maxAgeMs" in row ? row.maxAgeMs : undefined,
        isStopping: "isStopping" in row,
        isUnsignedCopy: false,
        storeProblem: "storeProblem" in row ? row.storeProblem : undefined,
      },
    );
    expect([httpStatus, body.status, body.reason]).toEqual(row.want);
    expect(body.sequence).toBe(row.serving ? 3 : undefined);
  });

  it("is degraded while an account gets nothing because of its count", () => {
    const facts = { nowMs: PUBLISHED, maxAgeMs: undefined, isStopping: false, isUnsignedCopy: false };
    const { httpStatus, body } = readinessOf(
      { serving: fakeReader(3), problem: undefined, optOutsProblem: undefined },
      { ...facts, storeProblem: undefined, hasInvalidCount: true },
    );
    expect([httpStatus, body.status, body.reason]).toEqual([200, "degraded", "QUOTA_COUNT_INVALID"]);
  });

  it.each([
    { why: "the last good one is served", serving: fakeReader(3), want: ["degraded", fakeReader(3).version] },
    { why: "nothing is served", serving: undefined, want: ["unavailable", undefined] },
  ])("names the version that was refused while $why", ({ serving, want }) => {
    const { body } = readinessOf(
      {
        serving,
        problem: "SNAPSHOT_INVALID",
        refusedVersion: "20260402T010000Z-0badf00d",
        optOutsProblem: undefined,
      },
      {
        nowMs: PUBLISHED,
        maxAgeMs: undefined,
        isStopping: false,
        isUnsignedCopy: false,
        storeProblem: undefined,
      },
    );
    expect(body.refused_version).toBe("20260402T010000Z-0badf00d");
    expect([body.status, body.version]).toEqual(want);
  });

  it.each([
    { why: "nobody asks who signed what is copied", isUnsignedCopy: true, want: "unchecked" },
    { why: "a key is asked for, or nothing is copied", isUnsignedCopy: false, want: undefined },
  ])("says of signatures $want where $why", ({ isUnsignedCopy, want }) => {
    const { body } = readinessOf(
      { serving: fakeReader(3), problem: undefined, optOutsProblem: undefined },
      {
        nowMs: PUBLISHED,
        maxAgeMs: undefined,
        isStopping: false,
        isUnsignedCopy,
        storeProblem: undefined,
      },
    );
    expect([body.status, body.signatures]).toEqual(["ready", want]);
  });

  it("names the version that could not be copied", () => {
    const { body } = readinessOf(
      {
        serving: fakeReader(3),
        problem: undefined,
        remote: remoteWith("REMOTE_STALE", "20260402T010000Z-0badf00d"),
        optOutsProblem: undefined,
      },
      {
        nowMs: PUBLISHED,
        maxAgeMs: undefined,
        isStopping: false,
        isUnsignedCopy: false,
        storeProblem: undefined,
      },
    );
    expect(body).toMatchObject({ reason: "REMOTE_STALE", refused_version: "20260402T010000Z-0badf00d" });
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
