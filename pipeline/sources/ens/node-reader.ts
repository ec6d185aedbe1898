import { inBatches } from "../../../snapshots/base/concurrency.ts";
import { isPipelineFailure } from "../../facts/errors.ts";
import { type ContractCall, filledHex } from "../governor/contract-calls.ts";
import {
  createRpc,
  hexQuantity,
  isRevert,
  isRpcRefusal,
  parseQuantity,
  type RpcCall,
  type RpcOutcome,
} from "../governor/rpc.ts";
import type { HttpClient } from "../http/http-client.ts";
import { askRegistry, type ContractReader, type ReadOutcome } from "./look-up-names.ts";

/** Calls per JSON-RPC batch: the smallest limit among the large providers. */
const READS_AT_ONCE = 100;

/**
 * Gas limit of one call. An ENS lookup costs about 50,000; unusual resolvers get ten times as much. The limit
 * also bounds answers: memory costs gas, and this buys less than half a megabyte.
 */
const READ_GAS = 500_000;

/** Length in hex digits, with `0x`, of the longest accepted answer: a dozen times the longest name. */
const ANSWER_DIGITS_MAX = 2 + 2 * 4096;

/** Requests that may stay unanswered, each for minutes; isolating one bad call among a hundred costs eight. */
const FAULTS_MAX = 10;

/** Requests that may be refused, or have a call refused. */
const REFUSALS_MAX = 200;

/** A call whose answer has a known form, to test the node. */
const TRIAL = askRegistry("eth");

/** Calls contracts, many in one request. Gives up a node of another chain or without answers. */
export function createNodeReader(node: {
  readonly http: HttpClient;
  readonly url: string;
  readonly chainId: number;
}): ContractReader {
  const rpc = createRpc(node);
  const left = { faults: FAULTS_MAX, refusals: REFUSALS_MAX };
  let isChecked = false;
  let isGivenUp = false;
  /** The first failure; contains nothing from the node. */
  let trouble: string | undefined;

  const isAway = () => isGivenUp || left.faults <= 0 || left.refusals <= 0;
  function count(error: unknown): void {
    left[isRpcRefusal(error) ? "refusals" : "faults"] -= 1;
    const isOurs = isPipelineFailure(error) || isRpcRefusal(error);
    trouble ??= isOurs ? error.message : "an unexpected error occurred while querying the node";
  }
  function giveUp(reason: string): void {
    isGivenUp = true;
    trouble ??= reason;
  }

  /** Gives up a test network: it has a registry at the same address, where anybody can take any name. */
  async function check(): Promise<void> {
    isChecked = true;
    try {
      const [chain, trial] = await rpc.callMany([{ method: "eth_chainId", params: [] }, ethCall(TRIAL)]);
      const served = parseQuantity(chain?.kind === "result" ? chain.result : undefined, "chain id");
      if (served !== node.chainId) {
        giveUp(`the node serves chain ${served}; names need chain ${node.chainId}`);
      } else if (typeof outcomeOf(trial) !== "object") giveUp(`there is no ENS on chain ${node.chainId}`);
    } catch (error) {
      count(error);
      giveUp("the node is not responding");
    }
  }

  /** One request; a failed one is repeated in two halves, to isolate the call that breaks it. */
  async function ask(reads: readonly ContractCall[]): Promise<readonly ReadOutcome[]> {
    if (reads.length === 0 || isAway()) return reads.map(() => "unknown");
    try {
      const outcomes = await rpc.callMany(reads.map(ethCall));
      const refusal = outcomes.find((outcome) => outcome.kind === "refused" && !isRevert(outcome.error.data));
      if (refusal?.kind === "refused") count(refusal.error);
      return outcomes.map(outcomeOf);
    } catch (error) {
      count(error);
      if (!isRpcRefusal(error) && !isAway()) await seeIfGone();
      if (reads.length === 1) return ["unknown"];
      const middle = Math.ceil(reads.length / 2);
      const first = await ask(reads.slice(0, middle));
      return [...first, ...(await ask(reads.slice(middle)))];
    }
  }

  async function seeIfGone(): Promise<void> {
    try {
      await rpc.call("eth_chainId", []);
    } catch (error) {
      count(error);
      giveUp("the node stopped responding");
    }
  }

  return {
    async read(reads) {
      if (!isChecked && reads.length > 0) await check();
      const outcomes: ReadOutcome[] = [];
      for (const part of inBatches(reads, READS_AT_ONCE)) outcomes.push(...(await ask(part)));
      return outcomes;
    },
    isAway,
    trouble: () => trouble,
  };
}

/** A call as of the latest block, as names are current ones. */
function ethCall({ to, data }: ContractCall): RpcCall {
  return { method: "eth_call", params: [{ to, data, gas: hexQuantity(READ_GAS) }, "latest"] };
}

function outcomeOf(outcome: RpcOutcome | undefined): ReadOutcome {
  // CCIP-Read's `OffchainLookup` is a revert too. It is never followed: its URL may be chosen by an attacker.
  if (outcome?.kind !== "result") return outcome && isRevert(outcome.error.data) ? "refused" : "unknown";
  const { result } = outcome;
  const isShort = typeof result === "string" && result.length <= ANSWER_DIGITS_MAX;
  const data = isShort ? filledHex(result) : undefined;
  return data === undefined ? "refused" : { data };
}
