import * as AbiParameters from "ox/AbiParameters";
import { describe, expect, it } from "vitest";
import { blockAtMoment } from "../../../../pipeline/sources/governor/blocks.ts";
import { readClock } from "../../../../pipeline/sources/governor/contract-calls.ts";
import {
  type ProposalContext,
  proposalOfLogs,
  readProposalCounts,
} from "../../../../pipeline/sources/governor/proposal-of-logs.ts";
import { createLogTally, type GovernorReading } from "../../../../pipeline/sources/governor/reading.ts";
import { type RpcOutcome, rpcOf, rpcRefusal } from "../../../../pipeline/sources/governor/rpc.ts";
import { createVoteTally, type LoggedProposal } from "../../../../pipeline/sources/governor/vote-tally.ts";
import { wholeTokens } from "../../../../pipeline/sources/upstream/parse-values.ts";
import { rowFailure } from "../../../../pipeline/sources/upstream/row-error.ts";
import { Failure } from "../../../../snapshots/base/failure.ts";
import { memorySink } from "../memory-sink.ts";

describe("CLOCK_MODE", () => {
  /** The clock of a contract on a chain, by what its node answers. */
  const clockOf = (chainId: number, outcome: RpcOutcome) =>
    readClock(
      rpcOf(async () => [outcome]),
      `0x${"11".repeat(20)}`,
      chainId,
    );
  const saying = (mode: string): RpcOutcome => ({
    kind: "result",
    result: AbiParameters.encode([{ type: "string" }], [mode]),
  });

  it.each([
    [10, "mode=blocknumber&from=default", "blocknumber", "its own blocks"],
    [10, "mode=blocknumber", "blocknumber", "no word of a chain"],
    [10, "mode=blocknumber&from=eip155:10", "blocknumber", "its own chain by number"],
    [10, "mode=blocknumber&from=eip155:1", "unknown", "another chain's blocks"],
    [10, "mode=timestamp", "timestamp", "seconds"],
    [10, "mode=epoch", "unknown", "a unit that nobody knows"],
    [10, "", "unknown", "no word of a unit"],
    [42_161, "mode=blocknumber&from=default", "unknown", "the blocks of Ethereum"],
    [42_170, "mode=blocknumber", "unknown", "the same on Nova"],
    [42_161, "mode=blocknumber&from=eip155:42161", "blocknumber", "a contract that asks for the chain's own"],
    [42_161, "mode=timestamp", "timestamp", "times are the chain's own"],
  ])("on chain %i, %s → %s: %s", async (chainId, mode, clock) => {
    expect(await clockOf(chainId, saying(mode))).toBe(clock);
  });

  it("is the number of blocks where a contract has none", async () => {
    const refused = rpcRefusal("eth_call", 3, "");
    expect(await clockOf(10, { kind: "refused", error: refused })).toBe("blocknumber");
  });
});

describe("the block of a moment", () => {
  /** Blocks 100 to 120, at uneven times. */
  const timeMsOf = (number: number) => 1_700_000_000_000 + number * 12_000 + (number % 3) * 2_000;
  const hashOf = (number: number) => `0x${number.toString(16).padStart(64, "0")}` as const;
  const rpc = rpcOf(async (calls) =>
    calls.map(({ params: [number] }) => ({
      kind: "result",
      result: {
        number,
        hash: hashOf(Number(number)),
        timestamp: `0x${(timeMsOf(Number(number)) / 1000).toString(16)}`,
      },
    })),
  );
  const head = { number: 120, hash: hashOf(120), timeMs: timeMsOf(120) };
  const numberAt = async (atMs: number, firstBlock = 100) =>
    (await blockAtMoment(rpc, atMs, { firstBlock, head }))?.number;

  it("is the last one at or before it, in the range that is read", async () => {
    for (let number = 100; number <= 120; number += 1) {
      expect(await numberAt(timeMsOf(number))).toBe(number);
      expect(await numberAt(timeMsOf(number) + 1)).toBe(number);
      expect(await numberAt(timeMsOf(number) - 1)).toBe(number === 100 ? undefined : number - 1);
    }
    expect(await numberAt(Infinity)).toBe(120);
    expect(await numberAt(0, 120)).toBeUndefined();
  });
});

describe("whole tokens", () => {
  it.each([
    [0n, 18, 0, "nothing"],
    [1n, 18, 1e-18, "the smallest"],
    [1_234_567_890_123_456_789_012n, 18, 1234.567890123457, "the nearest double"],
    [5n, 0, 5, "items"],
    [123_456n, 6, 0.123456, "not all have 18"],
    [2n ** 256n - 1n, 0, Number(2n ** 256n - 1n), "the largest word"],
  ])("%s with %i decimals is %d: %s", (amount, decimals, tokens) => {
    expect(wholeTokens(amount, decimals)).toBe(tokens);
  });
  it.each([[-1n], [10n ** 400n]])("%s is refused", (amount) => {
    expect(() => wholeTokens(amount, 0)).toThrow(Failure);
  });
});

describe("a governor's own count", () => {
  const words = (...values: number[]) =>
    `0x${values.map((value) => value.toString(16).padStart(64, "0")).join("")}`;
  const logged = { id: 1n, start: 10n, end: 20n } as LoggedProposal;
  const text = (value: string) => AbiParameters.encode([{ type: "string" }], [value]);
  const countsOf = async (head: number, answers: readonly (string | undefined)[], mode?: string) => {
    const reading = {
      aggregate: async () => [...Array.from({ length: 4 }, (_, call) => answers[call]), mode],
      head: { number: head, hash: "0x", timeMs: 0 },
    } as unknown as GovernorReading;
    return (await readProposalCounts(reading, `0x${"00".repeat(20)}`, "blocknumber", [logged]))[0];
  };
  const counts = (
    quorum: bigint,
    counted: readonly string[] | undefined,
    ...[yes, no, abstain]: bigint[]
  ) => ({
    quorum,
    counted,
    power: { for: yes, against: no, abstain, other: 0n },
  });
  const NOTHING = { quorum: undefined, counted: ["for"], power: undefined };
  const bravo = (id: number, end: number, ...rest: number[]) => words(id, 9, 0, 10, end, 1, 2, ...rest);
  it.each<[why: string, answers: (string | undefined)[], expected: object]>([
    ["OpenZeppelin", [words(4), undefined, words(1, 2, 3)], counts(4n, undefined, 2n, 1n, 3n)],
    [
      "Bravo, cancelled",
      [undefined, words(5), undefined, bravo(1, 20, 3, 1, 1)],
      counts(5n, ["for"], 1n, 2n, 3n),
    ],
    [
      "Alpha, cancelled",
      [undefined, words(5), undefined, bravo(1, 20, 1, 1)],
      counts(5n, ["for"], 1n, 2n, 0n),
    ],
    ["another structure", [undefined, undefined, undefined, bravo(1, 20, 3, 4, 5, 6)], NOTHING],
    ["another proposal", [undefined, undefined, undefined, bravo(2, 20, 3, 0, 0)], NOTHING],
    ["another vote", [undefined, undefined, undefined, bravo(1, 21, 3, 0, 0)], NOTHING],
    ["nothing", [], NOTHING],
    ["answers that are cut", ["0x01", "0x", words(1, 2), "0x0102"], NOTHING],
  ])("%s", async (_why, answers, expected) => {
    expect(await countsOf(21, answers)).toEqual(expected);
  });
  it("is not asked for a vote that can still change, nor its quorum before the start is past", async () => {
    const answers = [words(4), undefined, words(1, 2, 3)];
    expect(await countsOf(20, answers)).toMatchObject({ quorum: 4n, power: undefined });
    expect(await countsOf(10, answers)).toMatchObject({ quorum: undefined, power: undefined });
  });
  it.each<[string, object | undefined, string]>([
    ["support=bravo&quorum=for,abstain", ["for", "abstain"], "OpenZeppelin's simple counting"],
    ["support=bravo&quorum=bravo", ["for"], "OpenZeppelin's form of Bravo"],
    ["support=bravo,fractional&quorum=for,abstain&params=fractional", ["for", "abstain"], "fractional"],
    ["support=bravo&quorum=against,for,abstain&params=modules", ["for", "against", "abstain"], "all count"],
    ["support=bravo&quorum=for", ["for"], "the option by its own name"],
    ["support=bravo&quorum=for,maybe", undefined, "unknown: an option that nobody knows"],
    ["support=bravo&quorum=against", undefined, "unknown: a veto is no quorum"],
    ["support=bravo&quorum=", undefined, "unknown: nothing counts"],
    ["support=bravo", undefined, "unknown: no word of it"],
    ["", undefined, "unknown: an empty mode"],
  ])("%s has %j count for the quorum: %s", async (mode, counted, _why) => {
    const answers = [words(4), words(5), words(1, 2, 3)];
    expect((await countsOf(21, answers, text(mode)))?.counted).toEqual(counted);
  });
  it("does not know what counts where the mode is no text, whether or not it has Bravo's quorum", async () => {
    for (const quorum of [words(4), undefined]) {
      const answers = [quorum, words(5), words(1, 2, 3)];
      expect((await countsOf(21, answers, "0x01"))?.counted).toBeUndefined();
    }
  });
});

describe("malformed logs", () => {
  it.each([
    [10, 1, 0, false, "a tenth is tolerated"],
    [10, 2, 0, true, "more is another kind of contract"],
    [1, 1, 0, true, "all"],
    [0, 0, 0, false, "none at all"],
    [3, 3, 3, false, "few of a contract that is known"],
    [4, 4, 3, true, "not so few"],
    [100, 10, 3, false, "a tenth of many"],
    [100, 11, 3, true, "more than a tenth of many"],
  ])("%i logs, %i malformed, %i tolerated: fails %s, %s", (logs, malformed, tolerated, fails) => {
    const sink = memorySink();
    const tally = createLogTally("eth_getLogs 1 0x00", sink, tolerated);
    for (let index = 0; index < logs; index += 1) {
      tally.log(() => {
        if (index < malformed) throw rowFailure("LOG_MALFORMED", "bad");
      });
    }
    expect(sink.rejections.length).toBe(malformed);
    if (fails) expect(() => tally.judge()).toThrow(/logs were rejected/);
    else expect(() => tally.judge()).not.toThrow();
  });
});

describe("a proposal out of logs", () => {
  type LoggedVote = Parameters<ReturnType<typeof createVoteTally>["add"]>[0];
  const vote = (voterId: number, power: Partial<LoggedVote["power"]>): LoggedVote => ({
    voterId,
    power: { against: 0n, for: 0n, abstain: 0n, other: 0n, ...power },
    support: 1,
    reason: undefined,
    blockNumber: 1,
  });
  const logged = (rest: Partial<LoggedProposal> = {}): LoggedProposal => ({
    id: 1n,
    proposer: `0x${"00".repeat(20)}`,
    start: 10n,
    end: 20n,
    description: "One\ntwo",
    createdBlock: 5,
    fate: "running",
    votes: createVoteTally(),
    ...rest,
  });
  const contextAt = (headNumber: number, rest: Partial<ProposalContext> = {}): ProposalContext => ({
    clock: "blocknumber",
    head: { number: headNumber, hash: "0x", timeMs: 1_700_000_000_000 },
    timesMs: new Map([
      [5, 1_600_000_000_000],
      [10, 1_600_000_060_000],
      [20, 1_600_000_120_000],
    ]),
    decimals: 0,
    counts: undefined,
    ...rest,
  });

  it.each([
    [10, "running", "pending", "at the start power is counted, and nobody votes yet"],
    [11, "running", "active", "the first block of voting"],
    [20, "running", "active", "the last block of voting"],
    [21, "running", "closed", "the block after it"],
    [15, "canceled", "cancelled", "cancelled while voting"],
    [30, "executed", "closed", "executed"],
  ] as const)("head %i, %s: %s (%s)", (head, fate, state, _why) => {
    const proposal = proposalOfLogs(logged({ fate }), contextAt(head));
    expect(proposal.state).toBe(state);
    expect(proposal.scoresState).toBe(state === "closed" || state === "cancelled" ? "final" : "pending");
  });

  it("is refused where it ends before it starts, or at a time that cannot be", () => {
    expect(() => proposalOfLogs(logged({ end: 9n }), contextAt(30))).toThrow(/ends before/);
    expect(() => proposalOfLogs(logged(), contextAt(30, { clock: "timestamp" }))).toThrow(/2015 to 2099/);
  });

  it("has no start and no end by a clock that nobody can read, and no guess of a state", () => {
    expect(proposalOfLogs(logged(), contextAt(30, { clock: "unknown" }))).toMatchObject({
      start: undefined,
      end: undefined,
      state: undefined,
      scoresState: "pending",
    });
  });

  it.each([
    ["\n\n# Title\nrest", "Title"],
    ["#Title", "Title"],
    ["Title\\n\\nwritten with a mark for a line", "Title"],
    ["  \n ", undefined],
    ["", undefined],
    ["\u202eevil", "evil"],
  ])("%j is titled %s", (description, title) => {
    expect(proposalOfLogs(logged({ description }), contextAt(30)).title).toBe(title);
  });

  it("is fractional as soon as one voter split, whatever the others did", () => {
    const votes = createVoteTally();
    votes.add(vote(1, { for: 3n }));
    expect(proposalOfLogs(logged({ votes }), contextAt(30)).votingType).toBe("basic");
    votes.add(vote(1, { for: 1n }));
    expect(votes.isSplit()).toBe(false);
    votes.add(vote(2, { for: 1n, abstain: 1n }));
    const proposal = proposalOfLogs(logged({ votes }), contextAt(30));
    expect(proposal).toMatchObject({ votingType: "fractional", scoresTotal: 6, votesCount: 2 });
    const { ballot, setAside } = votes.ballot(proposal, new Map([[1, 1_600_000_100_000]]), 0);
    expect([...ballot.powers]).toEqual([4, 2]);
    expect(setAside).toEqual([]);
  });

  it("believes the governor's own total, so that logs that differ are found out", () => {
    const power = { for: 90n, against: 4n, abstain: 5n, other: 0n };
    const counts = { quorum: 4n, counted: ["for" as const], power };
    const proposal = proposalOfLogs(logged(), contextAt(30, { counts }));
    expect(proposal).toMatchObject({ quorum: 4, scoresTotal: 99, quorumPower: 90 });
  });
});
