import { inBatches } from "../../../snapshots/base/batches.ts";
import { isPipelineFailure } from "../../facts/errors.ts";
import {
  type ContractCall,
  decodeAggregate,
  encodeAggregate,
  filledHex,
} from "../governor/contract-calls.ts";
import {
  createRpc,
  hexQuantity,
  isRevert,
  isRpcRefusal,
  parseQuantity,
  type Rpc,
  type RpcCall,
  type RpcOutcome,
} from "../governor/rpc.ts";
import type { HttpClient } from "../http/http-client.ts";
import { askRegistry, type ContractReader, type ReadOutcome, UNKNOWN } from "./look-up-names.ts";

/** Calls per request and per JSON-RPC batch: the smallest limit among the large providers. */
const READS_AT_ONCE = 100;

/**
 * Gas limit of one call. An ENS lookup costs about 50,000; unusual resolvers get ten times as much. The limit
 * also bounds answers: memory costs gas, and this buys less than half a megabyte.
 */
const READ_GAS = 500_000;

/** Half of Geth's default limit for a call, and five times the cost of a hundred simple answers. */
const AGGREGATE_GAS = 25_000_000;

type Reads = readonly ContractCall[];
type Outcomes = readonly ReadOutcome[];

/** Calls contracts, many in one request with Multicall3. Gives up a node of another chain or without answers. */
export function createNodeReader(node: {
  readonly http: HttpClient;
  readonly url: string;
  readonly chainId: number;
}): ContractReader {
  const rpc = createRpc(node);
  const trouble = createTroubleCount();
  let hasMulticall: boolean | undefined;

  async function open(): Promise<boolean> {
    try {
      const opened = await openEnsNode(rpc, node.chainId);
      if (opened.reason === undefined) return opened.hasMulticall;
      trouble.giveUp(opened.reason);
    } catch (error) {
      trouble.add(error);
      trouble.giveUp("the node is not responding");
    }
    return false;
  }

  /** One call each, in one request if the node accepts batches. */
  const singly = (reads: Reads): Promise<Outcomes> =>
    askInHalves(rpc, trouble, reads, async (part) => {
      const outcomes = await rpc.callMany(part.map((read) => ethCall(read, READ_GAS)));
      const refusal = outcomes.find((outcome) => outcome.kind === "refused" && !isRevert(outcome.error.data));
      if (refusal?.kind === "refused") trouble.add(refusal.error);
      return outcomes.map(readOutcomeOf);
    });

  /**
   * All in one call. A failed call is repeated alone, as another one may have used up its gas. Calls after a
   * failed one are repeated too, as too little gas may have been left for their whole answer.
   */
  const together = (reads: Reads): Promise<Outcomes> =>
    askInHalves(rpc, trouble, reads, async (part) => {
      if (part.length === 1) return singly(part);
      const { method, params } = aggregateCall(part);
      const answers = decodeAggregate(await rpc.call(method, params), part.length);
      if (answers === undefined) return singly(part);
      const failedFrom = answers.findIndex(({ success }) => !success);
      const isLate = (index: number) => failedFrom !== -1 && index > failedFrom;
      const failed = part.filter((_, index) => answers[index]?.success !== true);
      const late = part.filter((_, index) => answers[index]?.success === true && isLate(index));
      const [alone, again] = [(await singly(failed)).values(), (await together(late)).values()];
      return answers.map(({ success, returnData }, index) => {
        if (success && !isLate(index)) return outcomeOfAnswer(returnData);
        return (success ? again : alone).next().value ?? UNKNOWN;
      });
    });

  return {
    async read(reads) {
      if (reads.length === 0) return [];
      hasMulticall ??= await open();
      const ask = hasMulticall ? together : singly;
      const outcomes: ReadOutcome[] = [];
      for (const part of inBatches(reads, READS_AT_ONCE)) outcomes.push(...(await ask(part)));
      return outcomes;
    },
    isAway: trouble.isEnough,
    trouble: trouble.first,
  };
}

/** Maps a node's outcome to that of the contract call. */
function readOutcomeOf(outcome: RpcOutcome): ReadOutcome {
  if (outcome.kind === "result") return outcomeOfAnswer(outcome.result);
  // CCIP-Read's `OffchainLookup` is a revert too. It is never followed: its URL may be chosen by an attacker.
  return isRevert(outcome.error.data) ? { kind: "refused" } : UNKNOWN;
}

/** Length in hex digits, with `0x`, of the longest accepted answer: a dozen times the longest name. */
const ANSWER_DIGITS_MAX = 2 + 2 * 4096;

/** Accepts an answer that is hex, not empty and not far longer than any name. */
function outcomeOfAnswer(result: unknown): ReadOutcome {
  const isShort = typeof result === "string" && result.length <= ANSWER_DIGITS_MAX;
  const data = isShort ? filledHex(result) : undefined;
  return data === undefined ? { kind: "refused" } : { kind: "answer", data };
}

/** A call of one contract at the latest block, as names are current ones. */
function ethCall({ to, data }: ContractCall, gas: number): RpcCall {
  return { method: "eth_call", params: [{ to, data, gas: hexQuantity(gas) }, "latest"] };
}

function aggregateCall(reads: Reads): RpcCall {
  return ethCall(encodeAggregate(reads), AGGREGATE_GAS);
}

/** A call whose answer has a known form, to test the node. */
const TRIAL = askRegistry("eth");

/**
 * Checks a node before it is trusted: a test network has a registry at the same address, where anybody can
 * take any name. Returns the reason why names cannot be looked up, or whether Multicall3 works. Throws if the
 * node does not answer.
 */
async function openEnsNode(
  rpc: Rpc,
  chainId: number,
): Promise<{ readonly reason?: string; readonly hasMulticall: boolean }> {
  const [chain, direct, together] = (
    await rpc.callMany([
      { method: "eth_chainId", params: [] },
      ethCall(TRIAL, READ_GAS),
      aggregateCall([TRIAL]),
    ])
  ).map((outcome: RpcOutcome) => (outcome.kind === "result" ? outcome.result : undefined));
  const served = parseQuantity(chain, "chain id");
  if (served !== chainId) {
    const reason = `the node serves chain ${served}; names need chain ${chainId}`;
    return { reason, hasMulticall: false };
  }
  const plain = outcomeOfAnswer(direct);
  if (plain.kind !== "answer") return { reason: `there is no ENS on chain ${chainId}`, hasMulticall: false };
  // Any contract may be at Multicall3's address; it is trusted once its answer equals the registry's own.
  const aggregated = decodeAggregate(together, 1)?.[0];
  return { hasMulticall: aggregated?.success === true && aggregated.returnData === plain.data };
}

/** Requests that may stay unanswered, each for minutes; isolating one bad call among a hundred costs eight. */
const FAULTS_MAX = 10;

/** Requests that may be refused; isolating one resolver that burns all gas costs about seven. */
const REFUSALS_MAX = 200;

/** Counts failures of one node and decides when to give it up. Its text contains nothing from the node. */
function createTroubleCount() {
  const left = { faults: FAULTS_MAX, refusals: REFUSALS_MAX };
  let isGivenUp = false;
  let first: string | undefined;
  return {
    add(error: unknown): void {
      left[isRpcRefusal(error) ? "refusals" : "faults"] -= 1;
      const isOurs = isPipelineFailure(error) || isRpcRefusal(error);
      first ??= isOurs ? error.message : "an unexpected error occurred while querying the node";
    },
    /** Stops all requests, even if failures are left. */
    giveUp(reason: string): void {
      isGivenUp = true;
      first ??= reason;
    },
    isEnough: () => isGivenUp || left.faults <= 0 || left.refusals <= 0,
    first: () => first,
  };
}
type TroubleCount = ReturnType<typeof createTroubleCount>;

/**
 * Isolates the one call that breaks a request: repeats a failed request in two halves; a call that fails
 * alone is `unknown`. Sends no more requests once the node is given up.
 */
async function askInHalves(
  rpc: Rpc,
  trouble: TroubleCount,
  reads: Reads,
  request: (reads: Reads) => Promise<Outcomes>,
): Promise<Outcomes> {
  if (reads.length === 0 || trouble.isEnough()) return reads.map(() => UNKNOWN);
  try {
    return await request(reads);
  } catch (error) {
    await noteFailure(rpc, trouble, error);
    if (reads.length === 1) return [UNKNOWN];
    const middle = Math.ceil(reads.length / 2);
    const first = await askInHalves(rpc, trouble, reads.slice(0, middle), request);
    return [...first, ...(await askInHalves(rpc, trouble, reads.slice(middle), request))];
  }
}

/** Finds out whether the request failed or the node has gone. */
async function noteFailure(rpc: Rpc, trouble: TroubleCount, error: unknown): Promise<void> {
  trouble.add(error);
  if (isRpcRefusal(error) || trouble.isEnough()) return;
  try {
    await rpc.call("eth_chainId", []);
  } catch (again) {
    trouble.add(again);
    trouble.giveUp("the node stopped responding");
  }
}
