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
const fractional = (params: Hex, support = 255, weight = 9n) =>
  log(
    [GOVERNOR_TOPICS.voteCastWithParams, addressTopic],
    abi(["uint256", "uint8", "uint256", "string", "bytes"], [5n, support, weight, "", params]),
  );
const vote = (support: number, weight = 9n, reason = "") =>
  log(
    [GOVERNOR_TOPICS.voteCast, addressTopic],
    abi(["uint256", "uint8", "uint256", "string"], [5n, support, weight, reason]),
  );
const NOTHING = { against: 0n, for: 0n, abstain: 0n, other: 0n };

describe("the events of a governor", () => {
  it.each(Object.entries(SIGNATURES))("%s has the topic of its signature", (name, signature) => {
    expect(GOVERNOR_TOPICS[name as keyof typeof GOVERNOR_TOPICS]).toBe(keccak256(fromString(signature)));
  });

  it("reads a proposal without looking into its calls", () => {
    const types = [
      "uint256",
      "address",
      "address[]",
      "uint256[]",
      "string[]",
      "bytes[]",
      "uint256",
      "uint256",
      "string",
    ];
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

  const head = { kind: "vote", id: 5n, voter };
  const rows: readonly (readonly [why: string, given: ChainLog, expected: object])[] = [
    ["against is 0", vote(0), { ...head, support: 0, reason: "", power: { ...NOTHING, against: 9n } }],
    ["for is 1", vote(1, 9n, "yes"), { ...head, support: 1, reason: "yes", power: { ...NOTHING, for: 9n } }],
    ["abstain is 2", vote(2), { ...head, support: 2, reason: "", power: { ...NOTHING, abstain: 9n } }],
    ["3 is nothing we know", vote(3), { ...head, support: 3, reason: "", power: { ...NOTHING, other: 9n } }],
    [
      "255 without parts is nothing we know",
      vote(255),
      { ...head, support: 255, reason: "", power: { ...NOTHING, other: 9n } },
    ],
    [
      "voter and proposal indexed",
      log(
        [GOVERNOR_TOPICS.voteCast, addressTopic, word(5n)],
        abi(["uint8", "uint256", "string"], [1, 9n, "x"]),
      ),
      { ...head, support: 1, reason: "x", power: { ...NOTHING, for: 9n } },
    ],
    [
      "nothing indexed",
      log(
        [GOVERNOR_TOPICS.voteCast],
        abi(["address", "uint256", "uint8", "uint256", "string"], [VOTER, 5n, 1, 9n, "x"]),
      ),
      { ...head, support: 1, reason: "x", power: { ...NOTHING, for: 9n } },
    ],
    [
      "Alpha, against",
      log(
        [GOVERNOR_TOPICS.voteCastOfAlpha],
        abi(["address", "uint256", "bool", "uint256"], [VOTER, 5n, false, 9n]),
      ),
      { ...head, support: 0, reason: undefined, power: { ...NOTHING, against: 9n } },
    ],
    [
      "parts, whatever the weight says",
      fractional(encodePacked(["uint128", "uint128", "uint128"], [1n, 2n, 2n ** 128n - 1n]), 255, 100n),
      {
        ...head,
        support: 255,
        reason: "",
        power: { against: 1n, for: 2n, abstain: 2n ** 128n - 1n, other: 0n },
      },
    ],
    [
      "parts that are cut",
      fractional(`0x${"00".repeat(47)}`),
      { ...head, support: 255, reason: "", power: { ...NOTHING, other: 9n } },
    ],
    [
      "parameters of a plain vote",
      fractional("0x1234", 1),
      { ...head, support: 1, reason: "", power: { ...NOTHING, for: 9n } },
    ],
    [
      "an end that was moved",
      log([GOVERNOR_TOPICS.proposalExtended, word(5n)], word(77n)),
      { kind: "extended", id: 5n, end: 77n },
    ],
    [
      "cancelled, not indexed",
      log([GOVERNOR_TOPICS.proposalCanceled], word(5n)),
      { kind: "canceled", id: 5n },
    ],
    [
      "executed, indexed",
      log([GOVERNOR_TOPICS.proposalExecuted, word(5n)], "0x"),
      { kind: "executed", id: 5n },
    ],
  ];
  it.each(rows)("%s", (_why, given, expected) => {
    expect(governorEventOfLog(given, GOVERNOR)).toEqual(expected);
  });

  it("passes over events that it does not read", () => {
    expect(governorEventOfLog(log([word(1n)], "0x"), GOVERNOR)).toBeUndefined();
    expect(governorEventOfLog(log([], "0x"), GOVERNOR)).toBeUndefined();
  });

  const refused: readonly (readonly [why: string, given: ChainLog])[] = [
    ["another contract", log([GOVERNOR_TOPICS.proposalCanceled], word(5n), { address: VOTER })],
    ["taken back", log([GOVERNOR_TOPICS.proposalCanceled], word(5n), { removed: true })],
    ["no data", log([GOVERNOR_TOPICS.voteCast, addressTopic], "0x")],
    ["cut data", log([GOVERNOR_TOPICS.voteCast, addressTopic], vote(1).data.slice(0, 130))],
    ["data of half a byte", log([GOVERNOR_TOPICS.proposalCanceled], "0x1")],
    ["data that is no hex", log([GOVERNOR_TOPICS.proposalCanceled], "zz")],
    [
      "a text that begins beyond the data",
      log(
        [GOVERNOR_TOPICS.voteCast, addressTopic],
        abi(["uint256", "uint8", "uint256", "uint256"], [5n, 1, 9n, 2n ** 200n]),
      ),
    ],
    ["a topic too many", log([GOVERNOR_TOPICS.proposalCanceled, word(1n), word(2n)], "0x")],
    ["a topic that is short", log([GOVERNOR_TOPICS.proposalCanceled, "0x12"], "0x")],
  ];
  it.each(refused)("%s is malformed", (_why, given) => {
    expect(() => governorEventOfLog(given, GOVERNOR)).toThrow(Failure);
  });
});
