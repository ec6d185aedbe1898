import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { pipelineFailure } from "../../../../pipeline/facts/errors.ts";
import { type ProposalVotes, VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import type { GovernorToken } from "../../../../pipeline/facts/tracked.ts";
import { createGovernorSource } from "../../../../pipeline/sources/governor/governor-source.ts";
import { createRpc } from "../../../../pipeline/sources/governor/rpc.ts";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import {
  type FaultAnswer,
  faultyNode,
  type NodeFault,
  type SeenCall,
} from "../../../support/chain/faulty-node.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import {
  type Account,
  FINALIZED_BEHIND,
  startChain,
  type TestChain,
} from "../../../support/chain/start-chain.ts";
import { createWarehouseHome, type WarehouseHome } from "../../warehouse/warehouse-home.ts";
import type { MemorySink } from "../memory-sink.ts";
import { createFetchLedger, type FetchLedger } from "./fetch-ledger.ts";

/** What was fetched of a governor, with its proposals' ids by the names a test gives them. */
export interface Governed {
  readonly sink: MemorySink;
  readonly ids: Readonly<Record<string, string>>;
}

/** One proposal by its name. */
export const proposalOf = ({ sink, ids }: Governed, name: string) => {
  const proposal = sink.proposals.find(({ proposalId }) => proposalId === ids[name]);
  if (proposal === undefined) throw new Error(`no proposal ${name}`);
  return proposal;
};

/** What one voter did, in words. */
export const voteOf = ({ sink, ids }: Governed, name: string, voter: string) => {
  const ballot = sink.ballots.find(({ proposalId }) => proposalId === ids[name]) as ProposalVotes;
  const index = ballot.voterIds.indexOf(sink.voters.get(voter) ?? -1);
  const flags = ballot.flags[index] ?? 0;
  return {
    power: ballot.powers[index],
    choice: ballot.choices[ballot.choiceIndexes[index] ?? -1],
    timeS: ballot.timesS[index],
    isReasonGiven: (flags & VOTE_FLAGS.reasonGiven) !== 0,
    isReasonKnown: (flags & VOTE_FLAGS.reasonKnown) !== 0,
    isOutside: (flags & VOTE_FLAGS.outsideWindow) !== 0,
  };
};

/** A registry's entry for a token on the test's chain, with 18 decimals and blocks for a clock unless said otherwise. */
export function governedToken(
  token: Account,
  firstBlock: number,
  rest: Partial<GovernorToken> = {},
): GovernorToken {
  return {
    chainId: 31_337,
    token,
    kind: "erc20votes",
    decimals: 18,
    clock: "blocknumber",
    isSelfByDefault: false,
    firstBlock,
    governor: undefined,
    ...rest,
  };
}

/** How a fetch of the test differs from a plain one. */
export interface FetchGiven {
  readonly http?: HttpClient;
  /** What earlier fetches left; empty where none is given. */
  readonly ledger?: FetchLedger;
  readonly isFull?: boolean;
  readonly rangesPerStep?: number;
}

/** One fetch of one DAO from the test's chain, committed. Its events are all that are held then. */
export async function fetchGoverned(
  chain: TestChain,
  governor: GovernorToken,
  { http = plainHttpClient(), ledger = createFetchLedger(), ...rest }: FetchGiven = {},
): Promise<MemorySink> {
  const { sink, seen, commit, close } = ledger.open();
  const source = createGovernorSource({ rpcOf: () => createRpc({ http, url: chain.url }), ...rest });
  try {
    await source.fetchSpace({ spaceId: "real.eth", name: "Real", category: "defi", governor }, sink);
    commit();
  } finally {
    close();
  }
  return { ...seen, events: [...ledger.facts(governor).delegationEvents] };
}

const PROPOSE = "propose(address[],uint256[],bytes[],string) returns (uint256)";
/** The lists of calls of a proposal that changes nothing. */
export const noCalls = (token: Account) => [[token], [0n], ["0x06fdde03"]] as const;

/** Proposes nothing to a governor of OpenZeppelin; returns the proposal's id. */
export async function proposeNothing(
  chain: TestChain,
  { token, governor, text }: { readonly token: Account; readonly governor: Account; readonly text: string },
): Promise<bigint> {
  // A call without a transaction returns the id that the proposal will have.
  const id = (await chain.read(governor, PROPOSE, [...noCalls(token), text])) as bigint;
  await chain.send(chain.accounts[0] as Account, governor, PROPOSE, [...noCalls(token), text]);
  return id;
}

/** The time of a block. */
export async function blockTimeS(chain: TestChain, block: bigint | number): Promise<number> {
  const header = await chain.rpc("eth_getBlockByNumber", [`0x${block.toString(16)}`, false]);
  return Number((header as { timestamp: string }).timestamp);
}

/** A node that refuses the logs of more blocks at once. */
export const refusingRanges = (
  blocksMax: number,
  refusal: FaultAnswer = { error: { code: -32_005, message: "too many blocks" } },
): NodeFault => ({
  answer({ method, params }) {
    if (method !== "eth_getLogs") return undefined;
    const { fromBlock, toBlock } = params[0] as Record<"fromBlock" | "toBlock", string>;
    return Number(toBlock) - Number(fromBlock) >= blocksMax ? refusal : undefined;
  },
});

/** As long as one answer of this chain goes. */
export const RANGE_MAX = 10;

/** What a fetch differs in; `before` may meddle with each call, or stop it. */
interface StagedFetch {
  readonly before?: (call: SeenCall) => Promise<void> | void;
  readonly isFull?: boolean;
  readonly rest?: Partial<GovernorToken>;
  readonly rangeMax?: number;
}

/** One chain for the tests of a file, with a new token, a new governor and an empty ledger for each. */
export interface GovernedStage {
  chain: TestChain;
  governor: GovernorToken;
  token: Account;
  address: Account;
  firstBlock: number;
  ledger: FetchLedger;
  home: WarehouseHome;
  lastId: bigint;
}

/** Sets the stage up before the tests of the file that calls this; its fields are filled by then. */
export function governedStage() {
  const stage = { lastId: 0n } as GovernedStage;
  beforeAll(async () => {
    stage.home = createWarehouseHome();
    stage.chain = await startChain();
  });
  afterAll(async () => {
    await stage.chain.close();
    stage.home.remove();
  });
  beforeEach(async () => {
    stage.token = await stage.chain.deploy("PriorToken");
    stage.address = await stage.chain.deploy("AlphaEmitter");
    stage.firstBlock = await stage.chain.head();
    stage.governor = governedToken(stage.token, stage.firstBlock, { governor: stage.address, decimals: 0 });
    stage.ledger = createFetchLedger(stage.home);
  });

  const accountAt = (index: number) => stage.chain.accounts[index] as Account;
  const mint = (amount = 5n) =>
    stage.chain.send(accountAt(0), stage.token, "mint(address,uint96)", [accountAt(1), amount]);
  const proposeOne = (id: bigint, start: bigint, end: bigint) =>
    stage.chain.send(accountAt(0), stage.address, "propose(uint256,uint256,uint256,string)", [
      id,
      start,
      end,
      "Once",
    ]);
  /** A vote that is over a few blocks later. */
  const propose = async () => {
    const id = await proposeFor(4n);
    await stage.chain.send(accountAt(1), stage.address, "vote(uint256,bool,uint256)", [id, true, 5n]);
    await stage.chain.mine(8);
    return id;
  };
  /** A vote that stays open for so many blocks. */
  const proposeFor = async (blocks: bigint) => {
    stage.lastId += 1n;
    const start = BigInt(await stage.chain.head()) + 1n;
    await proposeOne(stage.lastId, start, start + blocks);
    return stage.lastId;
  };
  /** A fetch through a node that answers few blocks at once. */
  const fetch = async ({ before, isFull = false, rest, rangeMax = RANGE_MAX }: StagedFetch = {}) => {
    const { http, seen } = faultyNode(plainHttpClient(), refusingRanges(rangeMax));
    let requests = 0;
    const counting: typeof http = {
      ...http,
      async postJson(request) {
        requests += 1;
        const calls = (Array.isArray(request.body) ? request.body : [request.body]) as SeenCall[];
        for (const call of calls) await before?.(call);
        return http.postJson(request);
      },
    };
    const { chain, ledger } = stage;
    const governor = { ...stage.governor, ...rest };
    const sink = await fetchGoverned(chain, governor, { http: counting, ledger, rangesPerStep: 2, isFull });
    const froms = (account: Account) =>
      seen
        .filter((call) => isLogsOf(call, account))
        .map(({ params }) => Number((params[0] as { fromBlock: string }).fromBlock));
    return { sink, requests, codes: sink.rejections.map(({ code }) => code), froms };
  };
  /** Whatever was done, the outcome is that of one fetch of all. */
  const expectWhole = async () => {
    const whole = createFetchLedger(stage.home);
    await fetchGoverned(stage.chain, stage.governor, { ledger: whole });
    expect(stage.ledger.facts(stage.governor)).toEqual(whole.facts(stage.governor));
  };
  /** The block up to which a fetch reads now. */
  const finalized = async () => (await stage.chain.head()) - FINALIZED_BEHIND;
  return { on: stage, by: accountAt, finalized, mint, proposeOne, propose, proposeFor, fetch, expectWhole };
}

/** Ends a fetch as an interrupt does. */
export function stop(): never {
  throw pipelineFailure("INTERRUPTED", "stopped");
}

/** Whether a call asks for the logs of a contract. */
export function isLogsOf({ method, params }: SeenCall, account: Account): boolean {
  return method === "eth_getLogs" && (params[0] as { address: string }).address === account;
}
