import { encode, encodePacked } from "ox/AbiParameters";
import { keccak256 } from "ox/Hash";
import { fromString, type Hex } from "ox/Hex";
import { describe, expect, it } from "vitest";
import {
  GOVERNOR_TOPICS,
  governorEventOfLog,
} from "../../../../pipeline/sources/governor/governor-events.ts";
import type { ChainLog } from "../../../../pipeline/sources/upstream/delegation-event.ts";
import { Failure } from "../../../../snapshots/base/failure.ts";

const GOVERNOR = `0x${"ab".repeat(20)}` as const;
const VOTER = `0x${"0C".repeat(20)}` as const;
const voter = VOTER.toLowerCase();
const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`;
const addressTopic: Hex = `0x${"0".repeat(24)}${VOTER.slice(2)}`;

const SIGNATURES: Readonly<Record<keyof typeof GOVERNOR_TOPICS, string>> = {
  proposalCreated:
    "ProposalCreated(uint256,address,address[],uint256[],string[],bytes[],uint256,uint256,string)",
  proposalCanceled: "ProposalCanceled(uint256)",
  proposalExecuted: "ProposalExecuted(uint256)",
  proposalExtended: "ProposalExtended(uint256,uint64)",
  voteCast: "VoteCast(address,uint256,uint8,uint256,string)",
  voteCastWithParams: "VoteCastWithParams(address,uint256,uint8,uint256,string,bytes)",
  voteCastOfAlpha: "VoteCast(address,uint256,bool,uint256)",
  overrideVoteCast: "OverrideVoteCast(address,uint256,uint8,uint256,string)",
  voteReduced: "VoteReduced(address,uint256,uint8,uint256)",
};

const log = (topics: readonly string[], data: string, rest: Partial<ChainLog> = {}): ChainLog => ({
  address: GOVERNOR,
  topics: [...topics],
  data,
  blockNumber: "0x1",
  logIndex: "0x0",
  ...rest,
});
const abi = (types: readonly string[], values: readonly unknown[]): Hex =>
  encode(
    types.map((type) => ({ type })),
    [...values],
  );
const cast = (types: readonly string[], values: readonly unknown[]) =>
  log([GOVERNOR_TOPICS.voteCast, addressTopic], abi(types, values));
const vote = (support: number, reason = "") =>
  cast(["uint256", "uint8", "uint256", "string"], [5n, support, 9n, reason]);
const withParams = (params: Hex, support = 255, weight = 9n) =>
  log(
    [GOVERNOR_TOPICS.voteCastWithParams, addressTopic],
    abi(["uint256", "uint8", "uint256", "string", "bytes"], [5n, support, weight, "", params]),
  );
const NOTHING = { against: 0n, for: 0n, abstain: 0n, other: 0n };

describe("the events of a governor", () => {
  it.each(Object.entries(SIGNATURES))("%s has the topic of its signature", (name, signature) => {
    expect(GOVERNOR_TOPICS[name as keyof typeof GOVERNOR_TOPICS]).toBe(keccak256(fromString(signature)));
  });

  it("reads a proposal without looking into its calls", () => {
    const calls = ["address[]", "uint256[]", "string[]", "bytes[]"];
    const types = ["uint256", "address", ...calls, "uint256", "uint256", "string"];
    const data = abi(types, [2n ** 256n - 1n, VOTER, [VOTER], [1n], ["f()"], ["0x00"], 10n, 20n, "# Title"]);
    expect(governorEventOfLog(log([GOVERNOR_TOPICS.proposalCreated], data), GOVERNOR)).toEqual({
      kind: "created",
      id: 2n ** 256n - 1n,
      proposer: voter,
      start: 10n,
      end: 20n,
      description: "# Title",
    });
  });

  const said = (support: number, power: object, reason: string | undefined = "") => {
    return { kind: "vote", id: 5n, voter, support, reason, power: { ...NOTHING, ...power } };
  };
  const canceled = (topics: readonly string[], data: string, rest?: Partial<ChainLog>) =>
    log([GOVERNOR_TOPICS.proposalCanceled, ...topics], data, rest);
  const indexedOf = (types: readonly string[], values: readonly unknown[], ...topics: readonly string[]) =>
    log([GOVERNOR_TOPICS.voteCast, ...topics], abi(types, values));
  const PARTS = ["uint128", "uint128", "uint128"] as const;
  const MOST = 2n ** 128n - 1n;
  it.each<readonly [why: string, given: ChainLog, expected: object]>([
    ["against is 0", vote(0), said(0, { against: 9n })],
    ["for is 1", vote(1, "yes"), said(1, { for: 9n }, "yes")],
    ["abstain is 2", vote(2), said(2, { abstain: 9n })],
    ["3 is nothing we know", vote(3), said(3, { other: 9n })],
    ["255 without parts is nothing we know", vote(255), said(255, { other: 9n })],
    [
      "voter and proposal indexed",
      indexedOf(["uint8", "uint256", "string"], [1, 9n, "x"], addressTopic, word(5n)),
      said(1, { for: 9n }, "x"),
    ],
    [
      "nothing indexed",
      indexedOf(["address", "uint256", "uint8", "uint256", "string"], [VOTER, 5n, 1, 9n, "x"]),
      said(1, { for: 9n }, "x"),
    ],
    [
      "Alpha, against",
      log(
        [GOVERNOR_TOPICS.voteCastOfAlpha],
        abi(["address", "uint256", "bool", "uint256"], [VOTER, 5n, false, 9n]),
      ),
      { ...said(0, { against: 9n }), reason: undefined },
    ],
    [
      "parts, whatever the weight says",
      withParams(encodePacked(PARTS, [1n, 2n, MOST]), 255, 100n),
      said(255, { against: 1n, for: 2n, abstain: MOST }),
    ],
    ["parts that are cut", withParams(`0x${"00".repeat(47)}`), said(255, { other: 9n })],
    ["parameters of a plain vote", withParams("0x1234", 1), said(1, { for: 9n })],
    [
      "an end that was moved",
      log([GOVERNOR_TOPICS.proposalExtended, word(5n)], word(77n)),
      { kind: "extended", id: 5n, end: 77n },
    ],
    ["cancelled, not indexed", canceled([], word(5n)), { kind: "canceled", id: 5n }],
    [
      "executed, indexed",
      log([GOVERNOR_TOPICS.proposalExecuted, word(5n)], "0x"),
      { kind: "executed", id: 5n },
    ],
  ])("%s", (_why, given, expected) => {
    expect(governorEventOfLog(given, GOVERNOR)).toEqual(expected);
  });

  it("passes over events that it does not read", () => {
    expect(governorEventOfLog(log([word(1n)], "0x"), GOVERNOR)).toBeUndefined();
    expect(governorEventOfLog(log([], "0x"), GOVERNOR)).toBeUndefined();
  });

  it.each<readonly [why: string, given: ChainLog]>([
    ["another contract", canceled([], word(5n), { address: VOTER })],
    ["taken back", canceled([], word(5n), { removed: true })],
    ["no data", { ...vote(1), data: "0x" }],
    ["cut data", { ...vote(1), data: vote(1).data.slice(0, 130) }],
    ["data of half a byte", canceled([], "0x1")],
    ["data that is no hex", canceled([], "zz")],
    [
      "a text that begins beyond the data",
      cast(["uint256", "uint8", "uint256", "uint256"], [5n, 1, 9n, 2n ** 200n]),
    ],
    ["a topic too many", canceled([word(1n), word(2n)], "0x")],
    ["a topic that is short", canceled(["0x12"], "0x")],
  ])("%s is malformed", (_why, given) => {
    expect(() => governorEventOfLog(given, GOVERNOR)).toThrow(Failure);
  });
});
