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
import { createArchiveSource } from "../../../../pipeline/sources/archive/archive-source.ts";
import { fetchFrom, many, proposalRow, SPACE, TOKEN, VOTER, voteRow } from "./small-archive.ts";

const VOTES = `votes/${SPACE}.ndjson`;
const PROPOSALS = `proposals/${SPACE}.ndjson`;
const LOGS = `logs/5-${TOKEN}.ndjson`;

const deep = `{"proposal":"0xp1","voter":"${VOTER}","choice":${"[".repeat(80)}${"]".repeat(80)}}`;

/** Twenty good rows, one row under trial as the 21st. */
const tried = (row: unknown) => [...many(20, voteRow), row];

describe("a vote that is not taken", () => {
  it.each([
    { why: "not JSON", row: '{"proposal": "0xp1", "voter":', code: "BAD_JSON" },
    {
      why: "NaN is not JSON",
      row: `{"proposal":"0xp1","voter":"${VOTER}","choice":1,"vp":NaN}`,
      code: "BAD_JSON",
    },
    { why: "nested without end", row: deep, code: "BAD_JSON" },
    { why: "a list", row: [1, 2], code: "BAD_SHAPE" },
    { why: "null", row: "null", code: "BAD_SHAPE" },
    { why: "no choice", row: voteRow(21, { choice: undefined }), code: "BAD_SHAPE" },
    { why: "no voter", row: voteRow(21, { voter: undefined }), code: "BAD_SHAPE" },
    { why: "vp as text", row: voteRow(21, { vp: "12" }), code: "BAD_SHAPE" },
    { why: "a time as text", row: voteRow(21, { created: "2022-01-02" }), code: "BAD_SHAPE" },
    { why: "negative power", row: voteRow(21, { vp: -0.001 }), code: "POWER_INVALID" },
    {
      why: "1e309",
      row: `{"proposal":"0xp1","voter":"${VOTER}","choice":1,"vp":1e309}`,
      code: "POWER_INVALID",
    },
    { why: "a short address", row: voteRow(21, { voter: "0x12" }), code: "ADDRESS_INVALID" },
    { why: "a name for an address", row: voteRow(21, { voter: "vitalik.eth" }), code: "ADDRESS_INVALID" },
    {
      why: "67 characters, neither EVM nor Starknet",
      row: voteRow(21, { voter: `0x${"a".repeat(65)}` }),
      code: "ADDRESS_INVALID",
    },
    { why: "a year for a time", row: voteRow(21, { created: 2022 }), code: "TIME_IMPOSSIBLE" },
    { why: "milliseconds", row: voteRow(21, { created: 1_650_000_000_000 }), code: "TIME_IMPOSSIBLE" },
    { why: "part of a second", row: voteRow(21, { created: 1_650_000_000.5 }), code: "TIME_IMPOSSIBLE" },
    {
      why: "a day that does not exist",
      row: voteRow(21, { created: null, created_date: "2022-02-30" }),
      code: "TIME_IMPOSSIBLE",
    },
    { why: "an id to break out of quotes", row: voteRow(21, { id: '0x"><' }), code: "ID_INVALID" },
    {
      why: "a proposal that is not there",
      row: voteRow(21, { proposal: "0xnone" }),
      code: "PROPOSAL_UNKNOWN",
    },
    { why: "a proposal that was deleted", row: voteRow(21, { proposal: null }), code: "PROPOSAL_UNKNOWN" },
    {
      why: "a proposal called __proto__",
      row: voteRow(21, { proposal: "__proto__" }),
      code: "PROPOSAL_UNKNOWN",
    },
  ])("$why", async ({ row, code }) => {
    const sink = await fetchFrom({ [PROPOSALS]: [proposalRow(1)], [VOTES]: tried(row) });
    expect(sink.rejections).toEqual([{ file: VOTES, line: 21, code, message: expect.any(String) }]);
    expect(sink.ballots.map(({ count }) => count)).toEqual([20]);
    expect(sink.rejections[0]?.message).not.toContain("0x1");
    // Nobody gets a number for a vote that was not taken.
    expect(sink.voters.size).toBe(20);
  });

  it.each([
    {
      why: "the voter's second vote",
      row: voteRow(20, { created: Date.UTC(2022, 0, 3) / 1000 }),
      line: 20,
      code: "DUPLICATE_VOTE",
      kept: 20,
    },
    {
      why: "before the start",
      row: voteRow(21, { created: Date.UTC(2021, 11, 31) / 1000 }),
      line: 21,
      code: "VOTE_OUTSIDE_WINDOW",
      kept: 21,
    },
    {
      why: "a choice out of range",
      row: voteRow(21, { choice: 3 }),
      line: 21,
      code: "CHOICE_UNREADABLE",
      kept: 21,
    },
    {
      why: "a choice of an unknown form",
      row: voteRow(21, { choice: { a: 1 } }),
      line: 21,
      code: "CHOICE_UNREADABLE",
      kept: 21,
    },
  ])("is set aside: $why", async ({ row, line, code, kept }) => {
    const sink = await fetchFrom({ [PROPOSALS]: [proposalRow(1)], [VOTES]: tried(row) });
    expect(sink.rejections).toEqual([{ file: VOTES, line, code, message: expect.any(String) }]);
    expect(sink.ballots.map(({ count }) => count)).toEqual([kept]);
  });

  it("may not be cut off at the end of the file: nobody knows how much is gone", async () => {
    const cut = many(20, voteRow)
      .map((row) => JSON.stringify(row))
      .join("\n")
      .slice(0, -20);
    await expect(fetchFrom({ [PROPOSALS]: [proposalRow(1)], [VOTES]: cut })).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: `${VOTES}: line 20: the file ends in the middle of a row`,
    });
  });

  it("may lack the line end after its last row", async () => {
    const whole = many(20, voteRow)
      .map((row) => JSON.stringify(row))
      .join("\n");
    const sink = await fetchFrom({ [PROPOSALS]: [proposalRow(1)], [VOTES]: whole });
    expect(sink.ballots.map(({ count }) => count)).toEqual([20]);
  });

  it("may not be UTF-8", async () => {
    const good = many(20, voteRow)
      .map((row) => `${JSON.stringify(row)}\n`)
      .join("");
    const sink = await fetchFrom({
      [PROPOSALS]: [proposalRow(1)],
      [VOTES]: Buffer.concat([Buffer.from(good), Buffer.from([0x22, 0xff, 0x22, 0x0a])]),
    });
    expect(sink.rejections).toMatchObject([{ line: 21, code: "BAD_JSON", message: "it is not UTF-8" }]);
  });
});

describe("a proposal that is not taken", () => {
  const start = Date.UTC(2022, 0, 1) / 1000;
  it.each([
    { why: "the same id again", row: proposalRow(20), code: "PROPOSAL_DUPLICATE" },
    { why: "no id", row: proposalRow(21, { id: undefined }), code: "BAD_SHAPE" },
    { why: "an id like a path", row: proposalRow(21, { id: "../x" }), code: "ID_INVALID" },
    { why: "an empty id", row: proposalRow(21, { id: "" }), code: "ID_INVALID" },
    { why: "ends before it starts", row: proposalRow(21, { end: start - 1 }), code: "ENDS_BEFORE_START" },
    { why: "a year for times", row: proposalRow(21, { start: 2021, end: 2021 }), code: "TIME_IMPOSSIBLE" },
    { why: "2100", row: proposalRow(21, { end: Date.UTC(2100, 0, 1) / 1000 }), code: "TIME_IMPOSSIBLE" },
    { why: "an infinite total", row: '{"id":"0xp21","scores_total":1e309}', code: "POWER_INVALID" },
    { why: "a negative quorum", row: proposalRow(21, { quorum: -1 }), code: "POWER_INVALID" },
    { why: "a count of voters that is none", row: proposalRow(21, { votes: 1.5 }), code: "BAD_SHAPE" },
    { why: "a state that is no state", row: proposalRow(21, { state: "queued" }), code: "BAD_SHAPE" },
    { why: "an author who is none", row: proposalRow(21, { author: "0x" }), code: "ADDRESS_INVALID" },
    { why: "choices that are no list", row: proposalRow(21, { choices: "yes" }), code: "BAD_SHAPE" },
  ])("$why", async ({ row, code }) => {
    const sink = await fetchFrom({ [PROPOSALS]: [...many(20, (n) => proposalRow(n)), row] });
    expect(sink.rejections).toEqual([{ file: PROPOSALS, line: 21, code, message: expect.any(String) }]);
    expect(sink.proposals).toHaveLength(20);
  });

  it("takes its votes with it", async () => {
    const sink = await fetchFrom({
      [PROPOSALS]: [...many(19, (n) => proposalRow(n + 1)), proposalRow(1, { start: 2021 })],
      [VOTES]: [voteRow(1), voteRow(2, { proposal: "0xp2" })],
    });
    expect(sink.rejections.map(({ line, code }) => [line, code])).toEqual([
      [20, "TIME_IMPOSSIBLE"],
      [1, "PROPOSAL_UNKNOWN"],
    ]);
    expect(sink.ballots.map(({ proposalId }) => proposalId)).toEqual(["0xp2"]);
  });
});

describe("a log that is not taken", () => {
  const word = (hex: string) => hex.padStart(64, "0");
  const transfer = (n: number, change: object = {}) => ({
    address: TOKEN,
    topics: [
      "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
      `0x${word("0")}`,
      `0x${word(VOTER.slice(2))}`,
    ],
    data: `0x${word("1")}`,
    blockNumber: `0x${n.toString(16)}`,
    logIndex: "0x0",
    ...change,
  });
  it.each([
    { why: "the same log again", row: transfer(20), code: "LOG_DUPLICATE" },
    { why: "another contract's", row: transfer(21, { address: VOTER }), code: "LOG_MALFORMED" },
    { why: "taken back by a reorganisation", row: transfer(21, { removed: true }), code: "LOG_MALFORMED" },
    { why: "data of another length", row: transfer(21, { data: "0x01" }), code: "LOG_MALFORMED" },
    { why: "a decimal block number", row: transfer(21, { blockNumber: "21" }), code: "LOG_MALFORMED" },
    {
      why: "a log index past any chain's",
      row: transfer(21, { logIndex: "0x100000" }),
      code: "LOG_MALFORMED",
    },
    { why: "no topics field", row: transfer(21, { topics: undefined }), code: "BAD_SHAPE" },
    {
      why: "an impossible block time",
      row: transfer(21, { blockTimestamp: "0x7e5" }),
      code: "TIME_IMPOSSIBLE",
    },
  ])("$why", async ({ row, code }) => {
    const sink = await fetchFrom({ [LOGS]: [...many(20, (n) => transfer(n)), row] });
    expect(sink.rejections).toEqual([{ file: LOGS, line: 21, code, message: expect.any(String) }]);
    expect(sink.events).toHaveLength(20);
  });

  it("is not even counted when its event moves no votes", async () => {
    const approval = transfer(2, { topics: [`0x${"12".repeat(32)}`] });
    const sink = await fetchFrom({ [LOGS]: [transfer(1), approval] });
    expect([sink.events.length, sink.rejections.length]).toEqual([1, 0]);
  });
});

describe("archived state", () => {
  const DAO: TrackedDao = { spaceId: "a.eth", name: "A", category: "defi", governor: undefined };
  /** Long after every file of a test was written. */
  const LATER_MS = Date.now() + 3_600_000;

  let directory: string;
  const fileAt = (file: string) => join(directory, file);
  const state = (dao = DAO, nowMs = LATER_MS) => createArchiveSource({ directory }).stateOf?.(dao, nowMs);
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), "archived-state-"));
    for (const folder of ["spaces", "proposals", "votes", "delegates/a.eth"])
      mkdirSync(fileAt(folder), { recursive: true });
    writeFileSync(fileAt("proposals/a.eth.ndjson"), "{}\n");
    writeFileSync(fileAt("votes/a.eth.ndjson"), "{}\n");
    writeFileSync(fileAt("delegates/a.eth/2026-01-01.json"), "{}");
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  describe("the state of an archive's files", () => {
    it("is the same as long as nobody touches them, whatever lies beside", () => {
      const before = state();
      writeFileSync(fileAt("votes/b.eth.ndjson"), "{}\n");
      expect(before).toMatch(/^[0-9a-f]{64}$/);
      expect(state()).toBe(before);
      expect(state({ ...DAO, name: "Another name" })).toBe(before);
    });

    it.each([
      { why: "a line more", change: () => appendFileSync(fileAt("votes/a.eth.ndjson"), "{}\n") },
      {
        why: "other bytes of the same size",
        change: () => writeFileSync(fileAt("votes/a.eth.ndjson"), "[]\n"),
      },
      {
        why: "other bytes with the old time put back",
        change() {
          writeFileSync(fileAt("votes/a.eth.ndjson"), "[]\n");
          utimesSync(fileAt("votes/a.eth.ndjson"), 1, 1);
        },
      },
      { why: "a file that was not there", change: () => writeFileSync(fileAt("spaces/a.eth.json"), "{}") },
      { why: "a file that has gone", change: () => rmSync(fileAt("proposals/a.eth.ndjson")) },
      {
        why: "a day more of delegates",
        change: () => writeFileSync(fileAt("delegates/a.eth/2026-01-02.json"), "{}"),
      },
      {
        why: "a file put in the place of another",
        change() {
          writeFileSync(fileAt("new"), "{}\n");
          renameSync(fileAt("new"), fileAt("votes/a.eth.ndjson"));
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
});
