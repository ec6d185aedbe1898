import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { TrackedDao } from "../../../../pipeline/facts/tracked.ts";
import { archivedState } from "../../../../pipeline/sources/archive/archive-source.ts";

const DAO: TrackedDao = { spaceId: "a.eth", name: "A", category: "defi", governor: undefined };
/** Long after every file of a test was written. */
const LATER_MS = Date.now() + 3_600_000;

let directory: string;
const at = (file: string) => join(directory, file);
const state = (dao = DAO, nowMs = LATER_MS) => archivedState(directory, dao, nowMs);
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "archived-state-"));
  for (const folder of ["spaces", "proposals", "votes", "delegates/a.eth"])
    mkdirSync(at(folder), { recursive: true });
  writeFileSync(at("proposals/a.eth.ndjson"), "{}\n");
  writeFileSync(at("votes/a.eth.ndjson"), "{}\n");
  writeFileSync(at("delegates/a.eth/2026-01-01.json"), "{}");
});
afterEach(() => rmSync(directory, { recursive: true, force: true }));

describe("the state of an archive's files", () => {
  it("is the same as long as nobody touches them, whatever lies beside", () => {
    const before = state();
    writeFileSync(at("votes/b.eth.ndjson"), "{}\n");
    expect(before).toMatch(/^[0-9a-f]{64}$/);
    expect(state()).toBe(before);
    expect(state({ ...DAO, name: "Another name" })).toBe(before);
  });

  it.each([
    { why: "a line more", change: () => appendFileSync(at("votes/a.eth.ndjson"), "{}\n") },
    { why: "other bytes of the same size", change: () => writeFileSync(at("votes/a.eth.ndjson"), "[]\n") },
    {
      why: "other bytes with the old time put back",
      change() {
        writeFileSync(at("votes/a.eth.ndjson"), "[]\n");
        utimesSync(at("votes/a.eth.ndjson"), 1, 1);
      },
    },
    { why: "a file that was not there", change: () => writeFileSync(at("spaces/a.eth.json"), "{}") },
    { why: "a file that has gone", change: () => rmSync(at("proposals/a.eth.ndjson")) },
    {
      why: "a day more of delegates",
      change: () => writeFileSync(at("delegates/a.eth/2026-01-02.json"), "{}"),
    },
    {
      why: "a file put in the place of another",
      change() {
        writeFileSync(at("new"), "{}\n");
        renameSync(at("new"), at("votes/a.eth.ndjson"));
      },
    },
  ])("is another after $why", ({ change }) => {
    const before = state();
    change();
    expect(state()).not.toBe(before);
    expect(state()).toBeDefined();
  });

  it.each([
    { why: "files that were written just now may change unseen", given: () => state(DAO, Date.now()) },
    { why: "a clock that is behind the files", given: () => state(DAO, 0) },
    { why: "nothing is there", given: () => state({ ...DAO, spaceId: "c.eth" }) },
    {
      why: "a DAO with a chain",
      given: () =>
        state({
          ...DAO,
          governor: {
            chainId: 1,
            token: `0x${"1".repeat(40)}`,
            kind: "erc20votes",
            decimals: 18,
            clock: "blocknumber",
            firstBlock: 1,
          } as TrackedDao["governor"],
        }),
    },
  ])("is none where $why", ({ given }) => expect(given()).toBeUndefined());
});
