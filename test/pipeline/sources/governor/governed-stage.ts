import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import type { GovernorToken } from "../../../../pipeline/facts/delegation.ts";
import { pipelineFailure } from "../../../../pipeline/facts/errors.ts";
import { type ProposalVotes, VOTE_FLAGS } from "../../../../pipeline/facts/proposal-votes.ts";
import { createGovernorSource } from "../../../../pipeline/sources/governor/governor-source.ts";
import { createRpc } from "../../../../pipeline/sources/governor/rpc.ts";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { faultyNode, type SeenCall } from "../../../support/chain/faulty-node.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import { type Account, startChain, type TestChain } from "../../../support/chain/start-chain.ts";
import type { MemorySink } from "../memory-sink.ts";
import { createFetchLedger, type FetchLedger } from "./fetch-ledger.ts";

/** What was fetched of a governor, with its proposals' ids by the names a test gives them. */
export interface Governed {
  readonly sink: MemorySink;
  readonly ids: Readonly<Record<string, string>>;
}

/** One proposal by its name. */
export const proposalOf = ({ sink, ids }: Governed, name: string) => {
  const found = sink.proposals.find(({ proposalId }) => proposalId === ids[name]);
  if (found === undefined) throw new Error(`no proposal ${name}`);
  return found;
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
  const { sink, seen, commit } = ledger.open();
  const source = createGovernorSource({ rpcOf: () => createRpc({ http, url: chain.url }), ...rest });
  await source.fetchSpace({ spaceId: "real.eth", name: "Real", category: "defi", governor }, sink);
  commit();
  return { ...seen, events: [...ledger.events()] };
}

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
  voters: Map<string, number>;
  lastId: bigint;
}

/** Sets the stage up before the tests of the file that calls this; its fields are filled by then. */
export function governedStage() {
  const on = { lastId: 0n } as GovernedStage;
  beforeAll(async () => {
    on.chain = await startChain();
  });
  afterAll(() => on.chain.close());
  beforeEach(async () => {
    on.token = await on.chain.deploy("PriorToken");
    on.address = await on.chain.deploy("AlphaEmitter");
    on.firstBlock = await on.chain.head();
    on.governor = governedToken(on.token, on.firstBlock, { governor: on.address, decimals: 0 });
    on.voters = new Map();
    on.ledger = createFetchLedger(on.voters);
  });

  const by = (index: number) => on.chain.accounts[index] as Account;
  const mint = () => on.chain.send(by(0), on.token, "mint(address,uint96)", [by(1), 5n]);
  const proposeOne = (id: bigint, start: bigint, end: bigint) =>
    on.chain.send(by(0), on.address, "propose(uint256,uint256,uint256,string)", [id, start, end, "Once"]);
  /** A vote that is over a few blocks later. */
  const propose = async () => {
    on.lastId += 1n;
    const start = BigInt(await on.chain.head()) + 1n;
    await proposeOne(on.lastId, start, start + 4n);
    await on.chain.send(by(1), on.address, "vote(uint256,bool,uint256)", [on.lastId, true, 5n]);
    await on.chain.mine(8);
    return on.lastId;
  };
  /** A vote that stays open for so many blocks. */
  const proposeFor = async (blocks: bigint) => {
    on.lastId += 1n;
    const start = BigInt(await on.chain.head()) + 1n;
    await proposeOne(on.lastId, start, start + blocks);
    return on.lastId;
  };
  /** A fetch through a node that answers few blocks at once. */
  const fetch = async ({ before, isFull = false, rest, rangeMax = RANGE_MAX }: StagedFetch = {}) => {
    const { http, seen } = faultyNode(plainHttpClient(), {
      answer({ method, params }) {
        if (method !== "eth_getLogs") return undefined;
        const { fromBlock, toBlock } = params[0] as Record<"fromBlock" | "toBlock", string>;
        const isWide = Number(toBlock) - Number(fromBlock) >= rangeMax;
        return isWide ? { error: { code: -32_005, message: "too many blocks" } } : undefined;
      },
    });
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
    const { chain, ledger } = on;
    const governor = { ...on.governor, ...rest };
    const sink = await fetchGoverned(chain, governor, { http: counting, ledger, rangesPerStep: 2, isFull });
    const froms = (of: Account) =>
      seen
        .filter((call) => isLogsOf(call, of))
        .map(({ params }) => Number((params[0] as { fromBlock: string }).fromBlock));
    return { sink, requests, codes: sink.rejections.map(({ code }) => code), froms };
  };
  /** Whatever was done, the outcome is that of one fetch of all. */
  const expectWhole = async () => {
    const whole = createFetchLedger(on.voters);
    await fetchGoverned(on.chain, on.governor, { ledger: whole });
    expect(on.ledger.proposals()).toEqual(whole.proposals());
    expect(on.ledger.ballots()).toEqual(whole.ballots());
    expect(on.ledger.events()).toEqual(whole.events());
  };
  return { on, by, mint, proposeOne, propose, proposeFor, fetch, expectWhole };
}

/** Ends a fetch as an interrupt does. */
export function stop(): never {
  throw pipelineFailure("INTERRUPTED", "stopped");
}

/** Whether a call asks for the logs of a contract. */
export function isLogsOf({ method, params }: SeenCall, of: Account): boolean {
  return method === "eth_getLogs" && (params[0] as { address: string }).address === of;
}
