import { encodePacked } from "ox/AbiParameters";
import { keccak256 } from "ox/Hash";
import { fromString } from "ox/Hex";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  type Account,
  FINALIZED_BEHIND,
  startChain,
  type TestChain,
} from "../../../support/chain/start-chain.ts";
import { describeOnChain } from "../../../support/chain/with-chain.ts";
import {
  blockTimeS,
  fetchGoverned,
  type Governed,
  governedToken,
  noCalls,
  proposalOf,
  proposeNothing,
  voteOf,
} from "./governed-stage.ts";

const TOKEN = 10n ** 18n;
const CAST = "castVote(uint256,uint8) returns (uint256)";
const CAST_WITH_REASON = "castVoteWithReason(uint256,uint8,string) returns (uint256)";
const CAST_WITH_PARAMS = "castVoteWithReasonAndParams(uint256,uint8,string,bytes) returns (uint256)";
const FRACTIONAL = 255;

describeOnChain("proposals and votes on a real chain", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startChain();
  });
  afterAll(() => chain.close());

  for (const clock of ["blocknumber", "timestamp"] as const) {
    describe(`an OpenZeppelin governor with fractional counting, by ${clock}`, () => {
      let governed: Governed;
      let a: Account;
      let b: Account;
      let c: Account;
      let start: bigint;
      let end: bigint;
      let lastVoteS = 0;
      beforeAll(async () => {
        [a, b, c] = chain.accounts as [Account, Account, Account];
        const token = await chain.deploy(clock === "timestamp" ? "TimeToken" : "BlockToken");
        const firstBlock = await chain.head();
        const governor = await chain.deploy("FractionalGovernor", [token]);
        const vote = (voter: Account, signature: string, args: readonly unknown[]) =>
          chain.send(voter, governor, signature, args);
        for (const [account, amount] of [
          [a, 10n],
          [b, 5n],
          [c, 3n],
        ] as const) {
          await chain.send(a, token, "mint(address,uint256)", [account, amount * TOKEN]);
          await chain.send(account, token, "delegate(address)", [account]);
        }
        const propose = (text: string) => proposeNothing(chain, { token, governor, text });
        const callsOf = (text: string) => [...noCalls(token), keccak256(fromString(text))];
        const passing = await propose("\n# Raise the fee\n\nBecause.");
        const plain = await propose("Plain votes only");
        const doomed = await propose("Doomed");
        const cancel = "cancel(address[],uint256[],bytes[],bytes32) returns (uint256)";
        await chain.send(a, governor, cancel, callsOf("Doomed"));
        const edge = async (name: string) =>
          (await chain.read(governor, `${name}(uint256) view returns (uint256)`, [passing])) as bigint;
        start = await edge("proposalSnapshot");
        end = await edge("proposalDeadline");
        await chain.mine(2);
        const parts = (against: bigint, inFavour: bigint, abstain: bigint) =>
          encodePacked(
            ["uint128", "uint128", "uint128"],
            [against * TOKEN, inFavour * TOKEN, abstain * TOKEN],
          );
        await vote(b, CAST_WITH_REASON, [passing, 0, "no"]);
        await vote(a, CAST_WITH_PARAMS, [passing, FRACTIONAL, "", parts(1n, 4n, 0n)]);
        await vote(a, CAST_WITH_PARAMS, [passing, FRACTIONAL, "more", parts(0n, 1n, 1n)]);
        await vote(a, CAST, [passing, 1]);
        lastVoteS = await blockTimeS(chain, await chain.head());
        await vote(c, CAST_WITH_PARAMS, [passing, FRACTIONAL, "", parts(0n, 0n, 3n)]);
        await vote(a, CAST, [plain, 2]);
        await vote(b, CAST, [plain, 1]);
        await chain.mine(60);
        const execute = "execute(address[],uint256[],bytes[],bytes32) payable returns (uint256)";
        await chain.send(a, governor, execute, callsOf("\n# Raise the fee\n\nBecause."));
        const young = await propose("Just proposed");
        await chain.mine(2 + FINALIZED_BEHIND);
        await propose("Not finalized yet");
        const sink = await fetchGoverned(chain, governedToken(token, firstBlock, { clock, governor }));
        const ids = Object.entries({ passing, plain, doomed, young });
        governed = { sink, ids: Object.fromEntries(ids.map(([name, id]) => [name, id.toString()])) };
      });

      it("takes every finalized proposal by its decimal id, and rejects nothing", () => {
        const { sink, ids } = governed;
        expect(sink.rejections).toEqual([]);
        expect(sink.proposals.map(({ proposalId }) => proposalId)).toEqual(Object.values(ids));
      });

      it("knows title, author, edges of the vote, quorum and state", async () => {
        const momentOf = async (edge: bigint) => {
          const atS = clock === "timestamp" ? Number(edge) : await blockTimeS(chain, edge);
          return { atMs: atS * 1000, precision: "second" };
        };
        expect(proposalOf(governed, "passing")).toMatchObject({
          title: "Raise the fee",
          author: a,
          start: await momentOf(start),
          end: await momentOf(end),
          choicesCount: 3,
          quorum: 4,
          // 8 for and 4 abstentions, of 18.
          quorumPower: 12,
          state: "closed",
          scoresState: "final",
          scoresTotal: 18,
          votesCount: 3,
          votingType: "fractional",
        });
        const plain = { votingType: "basic", scoresTotal: 15, votesCount: 2, state: "closed" };
        expect(proposalOf(governed, "plain")).toMatchObject(plain);
        const doomed = { state: "cancelled", votesCount: 0, scoresTotal: 0 };
        expect(proposalOf(governed, "doomed")).toMatchObject(doomed);
      });

      it("gives an open proposal no total that could still change, and its end only where the clock tells it", () => {
        const young = proposalOf(governed, "young");
        expect(young).toMatchObject({ scoresState: "pending", votesCount: 0 });
        expect(["pending", "active"]).toContain(young.state);
        expect(young.end === undefined).toBe(clock === "blocknumber");
      });

      it("joins the several votes of one voter into one of their sum, cast when the last was", () => {
        const vote = voteOf(governed, "passing", a);
        expect(vote).toMatchObject({ power: 10, timeS: lastVoteS, isReasonGiven: true, isOutside: false });
        // 1 against, 4 + 1 + the remaining 3 for, 1 abstain.
        const weights = [
          [1, 8e18],
          [2, 1e18],
          [3, 1e18],
        ];
        expect(vote.choice).toEqual({ kind: "weights", weights });
      });

      it("reads a vote for one option as that option, fractional or not", () => {
        const single = (option: number) => ({ kind: "single", option });
        const whole = (option: number) => ({ kind: "weights", weights: [[option, 1]] });
        const ofB = { power: 5, choice: whole(2), isReasonGiven: true };
        expect(voteOf(governed, "passing", b)).toMatchObject(ofB);
        expect(voteOf(governed, "passing", c).choice).toEqual(whole(3));
        const ofA = { power: 10, choice: single(3), isReasonGiven: false, isReasonKnown: true };
        expect(voteOf(governed, "plain", a)).toMatchObject(ofA);
        expect(voteOf(governed, "plain", b)).toMatchObject({ power: 5, choice: single(1) });
      });
    });
  }
});
