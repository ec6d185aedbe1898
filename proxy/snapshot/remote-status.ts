import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { RemoteProblem, RemoteStatus } from "./snapshot-source.ts";

/** The file in the home by which `follow` tells the servers of that home how the copy is. */
const FILE = "follow-status.json";

/** How often `follow` writes it, also during a long download. */
export const REPORT_EVERY_MS = 1_000;

/** A report older than this means that `follow` has ended, hangs, or cannot write into the home. */
const SILENT_MS = 10_000;

/** Replaces the report. It is not flushed: after a power cut `follow` writes the next one. */
export function writeRemoteStatus(home: string, status: RemoteStatus, nowMs: number): void {
  const draft = join(home, `${FILE}.new`);
  writeFileSync(draft, JSON.stringify({ ...status, atMs: nowMs }), { mode: 0o600 });
  renameSync(draft, join(home, FILE));
}

/** Takes the report away, so that nobody waits until it is old. */
export function removeRemoteStatus(home: string): void {
  rmSync(join(home, FILE), { force: true });
}

/** The state of the copy in this home, as `follow` reported it a moment ago; otherwise that nobody follows. */
export function readRemoteStatus(home: string, nowMs: number): RemoteStatus {
  const report = readReport(join(home, FILE));
  const ageMs = nowMs - Number(report.atMs);
  const isFollowed = ageMs > -SILENT_MS && ageMs < SILENT_MS;
  return {
    problem: isFollowed ? report.problem : "REMOTE_NOT_FOLLOWED",
    refusedVersion: isFollowed ? report.refusedVersion : undefined,
    upToDateAtMs: report.upToDateAtMs,
    bytesPulled: report.bytesPulled ?? 0,
  };
}

/** Only a program of this home can write there; a file that is cut off counts as none. */
function readReport(path: string): Partial<RemoteStatus & { atMs: number; problem: RemoteProblem }> {
  try {
    return Object(JSON.parse(readFileSync(path, "utf8")));
  } catch {
    return {};
  }
}
