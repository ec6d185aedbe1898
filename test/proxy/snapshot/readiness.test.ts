import { describe, expect, it } from "vitest";
import { readinessOf } from "../../../proxy/snapshot/readiness.ts";
import type { RemoteStatus } from "../../../proxy/snapshot/snapshot-source.ts";
import { fakeReader } from "../support/fake-reader.ts";

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
