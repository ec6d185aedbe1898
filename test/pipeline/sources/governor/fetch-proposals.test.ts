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
import { fetchGoverned, type Governed, governedToken, proposalOf, voteOf } from "./governed-stage.ts";

const TOKEN = 10n ** 18n;
const PROPOSE = "propose(address[],uint256[],bytes[],string) returns (uint256)";
const VOTE_WITH_PARAMS = "castVoteWithReasonAndParams(uint256,uint8,string,bytes) returns (uint256)";
const FRACTIONAL = 255;

describeOnChain("proposals and votes on a real chain", () => {
  let chain: TestChain;
  beforeAll(async () => {
    chain = await startChain();
  });
  afterAll(() => chain.close());

  const timeS = async (block: bigint | number): Promise<number> => {
    const header = await chain.rpc("eth_getBlockByNumber", [`0x${block.toString(16)}`, false]);
    return Number((header as { timestamp: string }).timestamp);
  };

  for (const clock of ["blocknumber", "timestamp"] as const) {
    describe(`an OpenZeppelin governor with fractional counting, by ${clock}`, () => {
      let governed: Governed;
      let token: Account;
      let address: Account;
      const edges: Record<string, { start: bigint; end: bigint }> = {};
      let lastVoteS = 0;
      beforeAll(async () => {
        const [a, b, c, d] = chain.accounts as [Account, Account, Account, Account];
        token = await chain.deploy(clock === "timestamp" ? "TimeToken" : "BlockToken");
        const firstBlock = await chain.head();
        address = await chain.deploy("FractionalGovernor", [token]);
        for (const [account, amount] of [
          [a, 10n],
          [b, 5n],
          [c, 3n],
        ] as const) {
          await chain.send(a, token, "mint(address,uint256)", [account, amount * TOKEN]);
          await chain.send(account, token, "delegate(address)", [account]);
        }
        const ids: Record<string, string> = {};
        const propose = async (name: string, description: string) => {
          const args = [[token], [0n], ["0x06fdde03"], description];
          await chain.send(a, address, PROPOSE, args);
          const hash = keccak256(fromString(description));
          const hashArgs = [[token], [0n], ["0x06fdde03"], hash];
          const id = await chain.read(
            address,
            "hashProposal(address[],uint256[],bytes[],bytes32) view returns (uint256)",
            hashArgs,
          );
          ids[name] = String(id);
          edges[name] = {
            start: (await chain.read(address, "proposalSnapshot(uint256) view returns (uint256)", [
              id,
            ])) as bigint,
            end: (await chain.read(address, "proposalDeadline(uint256) view returns (uint256)", [
              id,
            ])) as bigint,
          };
          return { id: id as bigint, hashArgs };
        };
        const passing = await propose("passing", "\n# Raise the fee\n\nBecause.");
        const plain = await propose("plain", "Plain votes only");
        const doomed = await propose("doomed", "Doomed");
        await chain.send(
          a,
          address,
          "cancel(address[],uint256[],bytes[],bytes32) returns (uint256)",
          doomed.hashArgs,
        );
        await chain.mine(2);
        const parts = (against: bigint, inFavour: bigint, abstain: bigint) =>
          encodePacked(["uint128", "uint128", "uint128"], [against, inFavour, abstain]);
        await chain.send(b, address, "castVoteWithReason(uint256,uint8,string) returns (uint256)", [
          passing.id,
          0,
          "no",
        ]);
        await chain.send(a, address, VOTE_WITH_PARAMS, [
          passing.id,
          FRACTIONAL,
          "",
          parts(TOKEN, 4n * TOKEN, 0n),
        ]);
        await chain.send(a, address, VOTE_WITH_PARAMS, [
          passing.id,
          FRACTIONAL,
          "more",
          parts(0n, TOKEN, TOKEN),
        ]);
        await chain.send(a, address, "castVote(uint256,uint8) returns (uint256)", [passing.id, 1]);
        lastVoteS = await timeS(await chain.head());
        await chain.send(c, address, VOTE_WITH_PARAMS, [
          passing.id,
          FRACTIONAL,
          "",
          parts(0n, 0n, 3n * TOKEN),
        ]);
        await chain.send(a, address, "castVote(uint256,uint8) returns (uint256)", [plain.id, 2]);
        await chain.send(b, address, "castVote(uint256,uint8) returns (uint256)", [plain.id, 1]);
        await chain.mine(60);
        await chain.send(
          a,
          address,
          "execute(address[],uint256[],bytes[],bytes32) payable returns (uint256)",
          passing.hashArgs,
        );
        await propose("young", "Just proposed");
        await chain.mine(2 + FINALIZED_BEHIND);
        await propose("unfinal", "Not finalized yet");
        const governor = governedToken(token, firstBlock, { clock, governor: address });
        governed = { sink: await fetchGoverned(chain, governor), ids };
        expect(d).toBeDefined();
      });

      it("takes every finalized proposal by its decimal id, and rejects nothing", () => {
        const { sink, ids } = governed;
        expect(sink.rejections).toEqual([]);
        expect(sink.proposals.map(({ proposalId }) => proposalId)).toEqual(
          ["passing", "plain", "doomed", "young"].map((name) => ids[name]),
        );
      });

      it("knows title, author, edges of the vote, quorum and state", async () => {
        const { start, end } = edges["passing"] ?? { start: 0n, end: 0n };
        const edgeS = async (edge: bigint) => (clock === "timestamp" ? Number(edge) : timeS(edge));
        expect(proposalOf(governed, "passing")).toMatchObject({
          title: "Raise the fee",
          author: chain.accounts[0],
          start: { atMs: (await edgeS(start)) * 1000, precision: "second" },
          end: { atMs: (await edgeS(end)) * 1000, precision: "second" },
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
        expect(proposalOf(governed, "plain")).toMatchObject({
          votingType: "basic",
          scoresTotal: 15,
          votesCount: 2,
          state: "closed",
        });
        expect(proposalOf(governed, "doomed")).toMatchObject({
          state: "cancelled",
          votesCount: 0,
          scoresTotal: 0,
        });
      });

      it("gives an open proposal no total that could still change, and its end only where the clock tells it", () => {
        const young = proposalOf(governed, "young");
        expect(young).toMatchObject({ scoresState: "pending", votesCount: 0 });
        expect(["pending", "active"]).toContain(young.state);
        expect(young.end === undefined).toBe(clock === "blocknumber");
      });

      it("joins the several votes of one voter into one of their sum, cast when the last was", () => {
        const [a] = chain.accounts as [Account];
        const vote = voteOf(governed, "passing", a);
        // 1 against, 4 + 1 + the remaining 3 for, 1 abstain.
        expect(vote).toMatchObject({ power: 10, timeS: lastVoteS, isReasonGiven: true, isOutside: false });
        expect(vote.choice).toEqual({
          kind: "weights",
          weights: [
            [1, 8e18],
            [2, 1e18],
            [3, 1e18],
          ],
        });
      });

      it("reads a vote for one option as that option, fractional or not", () => {
        const [a, b, c] = chain.accounts as [Account, Account, Account];
        expect(voteOf(governed, "passing", b)).toMatchObject({
          power: 5,
          choice: { kind: "weights", weights: [[2, 1]] },
          isReasonGiven: true,
        });
        expect(voteOf(governed, "passing", c).choice).toEqual({ kind: "weights", weights: [[3, 1]] });
        expect(voteOf(governed, "plain", a)).toMatchObject({
          power: 10,
          choice: { kind: "single", option: 3 },
          isReasonGiven: false,
          isReasonKnown: true,
        });
        expect(voteOf(governed, "plain", b)).toMatchObject({
          power: 5,
          choice: { kind: "single", option: 1 },
        });
      });
    });
  }
});
