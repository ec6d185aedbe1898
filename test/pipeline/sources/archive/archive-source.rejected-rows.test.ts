import { describe, expect, it } from "vitest";
import { fetchFrom, many, ndjson, proposalRow, SPACE, TOKEN, VOTER, voteRow } from "./small-archive.ts";

const VOTES = `votes/${SPACE}.ndjson`;
const PROPOSALS = `proposals/${SPACE}.ndjson`;
const LOGS = `logs/5-${TOKEN}.ndjson`;

/** What comes of twenty good votes and a row under trial as the 21st. */
const fetchVotes = (row: unknown) =>
  fetchFrom({ [PROPOSALS]: [proposalRow(1)], [VOTES]: [...many(20, voteRow), row] });
const vote = (change: object) => voteRow(21, change);
/** A vote with its choice as text. */
const chosen = (choice: string) => `{"proposal":"0xp1","voter":"${VOTER}","choice":${choice}}`;
const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);
const timeOf = (...date: [number, number, number]) => Date.UTC(...date) / 1000;

describe("a vote that is not taken", () => {
  it.each<readonly [why: string, row: unknown, code: string]>([
    ["not JSON", '{"proposal": "0xp1", "voter":', "BAD_JSON"],
    ["NaN is not JSON", chosen('1,"vp":NaN'), "BAD_JSON"],
    ["two values", `${chosen("1")} 1`, "BAD_JSON"],
    ["a level too deep", chosen(nested(64)), "BAD_JSON"],
    ["nested without end", chosen(nested(1_000_000)), "BAD_JSON"],
    ["more values than any file of ours", chosen(`[${"1,".repeat(2_000_000)}1]`), "BAD_JSON"],
    ["a list", [1, 2], "BAD_SHAPE"],
    ["null", "null", "BAD_SHAPE"],
    ["no choice", vote({ choice: undefined }), "BAD_SHAPE"],
    ["no voter", vote({ voter: undefined }), "BAD_SHAPE"],
    ["vp as text", vote({ vp: "12" }), "BAD_SHAPE"],
    ["a time as text", vote({ created: "2022-01-02" }), "BAD_SHAPE"],
    ["negative power", vote({ vp: -0.001 }), "POWER_INVALID"],
    ["1e309", chosen('1,"vp":1e309'), "POWER_INVALID"],
    ["a short address", vote({ voter: "0x12" }), "ADDRESS_INVALID"],
    ["a name for an address", vote({ voter: "vitalik.eth" }), "ADDRESS_INVALID"],
    ["65 digits, neither EVM nor Starknet", vote({ voter: `0x${"a".repeat(65)}` }), "ADDRESS_INVALID"],
    ["a year for a time", vote({ created: 2022 }), "TIME_IMPOSSIBLE"],
    ["milliseconds", vote({ created: 1_650_000_000_000 }), "TIME_IMPOSSIBLE"],
    ["part of a second", vote({ created: 1_650_000_000.5 }), "TIME_IMPOSSIBLE"],
    ["no such day", vote({ created: null, created_date: "2022-02-30" }), "TIME_IMPOSSIBLE"],
    ["an id to break out of quotes", vote({ id: '0x"><' }), "ID_INVALID"],
    ["a proposal that is not there", vote({ proposal: "0xnone" }), "PROPOSAL_UNKNOWN"],
    ["a proposal that was deleted", vote({ proposal: null }), "PROPOSAL_UNKNOWN"],
    ["a proposal called __proto__", vote({ proposal: "__proto__" }), "PROPOSAL_UNKNOWN"],
  ])("%s", async (_why, row, code) => {
    const sink = await fetchVotes(row);
    expect(sink.rejections).toEqual([{ file: VOTES, line: 21, code, message: expect.any(String) }]);
    expect(sink.ballots.map(({ count }) => count)).toEqual([20]);
    expect(sink.rejections[0]?.message).not.toContain("0x1");
    // Nobody gets a number for a vote that was not taken.
    expect(sink.voters.size).toBe(20);
  });

  it.each<readonly [why: string, row: unknown, code: string, kept?: number]>([
    ["the voter's second vote", voteRow(20, { created: timeOf(2022, 0, 3) }), "DUPLICATE_VOTE", 20],
    ["before the start", vote({ created: timeOf(2021, 11, 31) }), "VOTE_OUTSIDE_WINDOW"],
    ["a choice out of range", vote({ choice: 3 }), "CHOICE_UNREADABLE"],
    ["a choice of an unknown form", vote({ choice: { a: 1 } }), "CHOICE_UNREADABLE"],
    ["a choice of the deepest level that may be", chosen(nested(63)), "CHOICE_UNREADABLE"],
  ])("is set aside: %s", async (_why, row, code, kept = 21) => {
    const sink = await fetchVotes(row);
    expect(sink.rejections).toEqual([{ file: VOTES, line: kept, code, message: expect.any(String) }]);
    expect(sink.ballots.map(({ count }) => count)).toEqual([kept]);
  });

  it("may not be cut off at the end of the file, where only the line end may be missing", async () => {
    const whole = ndjson(many(20, voteRow)).trimEnd();
    const fetching = (votes: string) => fetchFrom({ [PROPOSALS]: [proposalRow(1)], [VOTES]: votes });
    // Nobody knows how much is gone.
    await expect(fetching(whole.slice(0, -20))).rejects.toMatchObject({
      code: "SOURCE_FAILED",
      message: `${VOTES}: line 20: the file ends in the middle of a row`,
    });
    expect((await fetching(whole)).ballots.map(({ count }) => count)).toEqual([20]);
  });

  it("may not be UTF-8", async () => {
    const votes = Buffer.concat([
      Buffer.from(ndjson(many(20, voteRow))),
      Buffer.from([0x22, 0xff, 0x22, 10]),
    ]);
    const sink = await fetchFrom({ [PROPOSALS]: [proposalRow(1)], [VOTES]: votes });
    expect(sink.rejections).toMatchObject([{ line: 21, code: "BAD_JSON", message: "it is not UTF-8" }]);
  });
});

describe("a proposal that is not taken", () => {
  const proposal = (change: object) => proposalRow(21, change);
  it.each<readonly [why: string, row: unknown, code: string]>([
    ["the same id again", proposalRow(20), "PROPOSAL_DUPLICATE"],
    ["no id", proposal({ id: undefined }), "BAD_SHAPE"],
    ["an id like a path", proposal({ id: "../x" }), "ID_INVALID"],
    ["an empty id", proposal({ id: "" }), "ID_INVALID"],
    ["ends before it starts", proposal({ end: timeOf(2022, 0, 1) - 1 }), "ENDS_BEFORE_START"],
    ["a year for times", proposal({ start: 2021, end: 2021 }), "TIME_IMPOSSIBLE"],
    ["2100", proposal({ end: timeOf(2100, 0, 1) }), "TIME_IMPOSSIBLE"],
    ["an infinite total", '{"id":"0xp21","scores_total":1e309}', "POWER_INVALID"],
    ["a negative quorum", proposal({ quorum: -1 }), "POWER_INVALID"],
    ["a count of voters that is none", proposal({ votes: 1.5 }), "BAD_SHAPE"],
    ["a state that is no state", proposal({ state: "queued" }), "BAD_SHAPE"],
    ["an author who is none", proposal({ author: "0x" }), "ADDRESS_INVALID"],
    ["choices that are no list", proposal({ choices: "yes" }), "BAD_SHAPE"],
  ])("%s", async (_why, row, code) => {
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
  const word = (hex: string) => `0x${hex.padStart(64, "0")}`;
  const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
  const transfer = (n: number, change: object = {}) => ({
    address: TOKEN,
    topics: [TRANSFER, word("0"), word(VOTER.slice(2))],
    data: word("1"),
    blockNumber: `0x${n.toString(16)}`,
    logIndex: "0x0",
    ...change,
  });
  const odd = (change: object) => transfer(21, change);
  it.each<readonly [why: string, row: unknown, code: string]>([
    ["the same log again", transfer(20), "LOG_DUPLICATE"],
    ["another contract's", odd({ address: VOTER }), "LOG_MALFORMED"],
    ["taken back by a reorganisation", odd({ removed: true }), "LOG_MALFORMED"],
    ["data of another length", odd({ data: "0x01" }), "LOG_MALFORMED"],
    ["a decimal block number", odd({ blockNumber: "21" }), "LOG_MALFORMED"],
    ["a log index past any chain's", odd({ logIndex: "0x100000" }), "LOG_MALFORMED"],
    ["no topics field", odd({ topics: undefined }), "BAD_SHAPE"],
    ["an impossible block time", odd({ blockTimestamp: "0x7e5" }), "TIME_IMPOSSIBLE"],
  ])("%s", async (_why, row, code) => {
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
