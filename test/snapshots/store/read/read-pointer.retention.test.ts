import { describe, expect, it } from "vitest";
import { DAY_MS } from "../../../../snapshots/base/days.ts";
import {
  expiredVersions,
  KEPT_AGE_MAX_MS,
  KEPT_YOUNGER_THAN_MS,
  versionAtMs,
  versionNames,
} from "../../../../snapshots/store/read/read-pointer.ts";

const NOW_MS = Date.parse("2026-11-21T06:00:00.000Z");
/** The name of a version so many milliseconds old. */
function aged(ageMs: number, hash = "00000000"): string {
  const time = new Date(NOW_MS - ageMs)
    .toISOString()
    .replace(/\.\d{3}/, "")
    .replaceAll(/[-:]/g, "");
  return `${time}-${hash}`;
}

const recent = [aged(0), aged(DAY_MS), aged(2 * DAY_MS)];
const old = aged(KEPT_AGE_MAX_MS + 1000);
const atLimit = aged(KEPT_AGE_MAX_MS);
const ancient = aged(900 * DAY_MS);

describe("expiredVersions", () => {
  it.each([
    { why: "nothing there", names: [], current: "", want: [] },
    { why: "three young ones", names: recent, current: recent[0], want: [] },
    { why: "one past its age beside three newer", names: [...recent, old], current: recent[0], want: [old] },
    { why: "one just at its age stays", names: [...recent, atLimit], current: recent[0], want: [] },
    { why: "the newest three stay however old", names: [ancient, old, atLimit], current: atLimit, want: [] },
    {
      why: "a fourth, older than those, goes",
      names: [ancient, old, atLimit, aged(401 * DAY_MS)],
      current: atLimit,
      want: [ancient],
    },
    {
      why: "the current one stays, even if it is the oldest",
      names: [...recent, old],
      current: old,
      want: [],
    },
    {
      why: "a version of tomorrow (a clock set back) is young",
      names: [aged(-DAY_MS), ...recent],
      current: recent[0],
      want: [],
    },
    {
      why: "what is no version is not looked at",
      names: ["current.json", "publish.lock", "notes", ".staging-1", ...recent, old],
      current: recent[0],
      want: [old],
    },
  ])("$why", ({ names, current, want }) => {
    expect(expiredVersions(names, current ?? "", NOW_MS)).toEqual(want);
  });

  it("never deletes what a reader may just have opened", () => {
    expect(KEPT_YOUNGER_THAN_MS).toBe(900_000);
    expect(KEPT_AGE_MAX_MS).toBeGreaterThan(KEPT_YOUNGER_THAN_MS);
  });
});

describe("version names", () => {
  it("say when the run was", () => {
    expect(versionAtMs("20261121T060000Z-3f9ac2d1")).toBe(NOW_MS);
  });

  it("are told from other names, oldest first", () => {
    const other = ["20261121T060000Z", "20261121T060000Z-3F9AC2D1", "..", "20261121-3f9ac2d1"];
    expect(versionNames([recent[0]!, ...other, old])).toEqual([old, recent[0]]);
  });
});
