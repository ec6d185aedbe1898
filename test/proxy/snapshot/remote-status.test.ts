import { mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  readRemoteStatus,
  removeRemoteStatus,
  writeRemoteStatus,
} from "../../../proxy/snapshot/remote-status.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
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
