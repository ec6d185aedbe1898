import { PipelineError } from "../../facts/errors.ts";
import { type ContractCall, decodeAggregate, encodeAggregate } from "../governor/contract-calls.ts";
import {
  createRpc,
  hexQuantity,
  isRevert,
  parseQuantity,
  type Rpc,
  type RpcCall,
  RpcError,
  type RpcOutcome,
} from "../governor/rpc.ts";
import type { HttpClient } from "../http/http-client.ts";
import { askRegistry, type ContractReader, type ReadOutcome } from "./look-up-names.ts";

/** Questions of one request, and of one JSON-RPC batch: the smallest limit of a large provider. */
const READS_AT_ONCE = 100;

/**
 * What one contract may use up. Asking ENS costs some 50,000; ten times as much is left to a resolver with ideas of its
 * own. It also bounds answers: memory costs gas, and this buys less than half a megabyte.
 */
const READ_GAS = 500_000;

/** Half of what Geth grants a call by default, and five times what a hundred plain answers cost. */
const AGGREGATE_GAS = 25_000_000;

type Reads = readonly ContractCall[];
type Outcomes = readonly ReadOutcome[];
const UNKNOWN: ReadOutcome = { kind: "unknown" };

/**
 * Asks through a node, many contracts in one request where Multicall3 is there. A node of another chain, and one that
 * is away, is asked no further.
 */
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
      const found = await openEnsNode(rpc, node.chainId);
      if (found.reason === undefined) return found.hasMulticall;
      trouble.giveUp(found.reason);
    } catch (error) {
      trouble.add(error);
      trouble.giveUp("the node does not answer");
    }
    return false;
  }

  /** One call each, in one request where the node takes batches. */
  const singly = (reads: Reads): Promise<Outcomes> =>
    askInHalves(rpc, trouble, reads, async (part) => {
      const said = await rpc.callMany(part.map((read) => ethCall(read, READ_GAS)));
      const refusal = said.find((one) => one.kind === "refused" && !isRevert(one.error));
      if (refusal?.kind === "refused") trouble.add(refusal.error);
      return said.map(readOutcomeOf);
    });

  /**
   * All in one call. Asked again are those that failed, alone, as another one may have burnt their gas; and those after a
   * failure, as they may have had too little of it left to say all they would.
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
      for (let from = 0; from < reads.length; from += READS_AT_ONCE) {
        outcomes.push(...(await ask(reads.slice(from, from + READS_AT_ONCE))));
      }
      return outcomes;
    },
    isAway: trouble.isEnough,
    trouble: trouble.first,
  };
}

/** What a node's outcome of a call says of the question. */
function readOutcomeOf(said: RpcOutcome): ReadOutcome {
  if (said.kind === "result") return outcomeOfAnswer(said.result);
  // CCIP-Read's `OffchainLookup` is a revert too, and is never followed: it names an address that an attacker chose.
  return isRevert(said.error) ? { kind: "refused" } : UNKNOWN;
}

/** `0x` and twice the bytes of the longest answer that is looked at; the longest name fits in a dozen times. */
const ANSWER_DIGITS_MAX = 2 + 2 * 4096;

/** An answer as it may be kept: what is no hex, empty or far longer than any name is none. */
function outcomeOfAnswer(result: unknown): ReadOutcome {
  if (typeof result !== "string" || result.length > ANSWER_DIGITS_MAX) return { kind: "refused" };
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(result)) return { kind: "refused" };
  return { kind: "answer", data: `0x${result.slice(2)}` };
}

/** A call of one contract, at the latest block: names are as of now. */
function ethCall({ to, data }: ContractCall, gas: number): RpcCall {
  return { method: "eth_call", params: [{ to, data, gas: hexQuantity(gas) }, "latest"] };
}

function aggregateCall(reads: Reads): RpcCall {
  return ethCall(encodeAggregate(reads), AGGREGATE_GAS);
}

/** A question with a known shape of answer, for finding out who is there. */
const TRIAL = askRegistry("eth");

/**
 * Looks at a node before it is believed: a test network has a registry at the same address, in which anybody may take
 * any name. Answers why names cannot be asked, or whether many can at once; throws where the node does not answer.
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
    const reason = `the node serves chain ${served}, and names are asked on chain ${chainId}`;
    return { reason, hasMulticall: false };
  }
  const plain = outcomeOfAnswer(direct);
  if (plain.kind !== "answer") return { reason: `there is no ENS on chain ${chainId}`, hasMulticall: false };
  // Anything may stand at Multicall3's address; it is believed once it says what the registry says itself.
  const aggregated = decodeAggregate(together, 1)?.[0];
  return { hasMulticall: aggregated?.success === true && aggregated.returnData === plain.data };
}

/** Requests that may get no answer: parting the one bad from a hundred costs eight, and each may last minutes. */
const FAULTS_MAX = 10;

/** Requests that a node may refuse: parting a resolver that burns all gas costs seven or so, and many are borne. */
const REFUSALS_MAX = 200;

/** What went wrong on the way to one node, and when it has been enough. What it says holds nothing that a node said. */
function createTroubleCount() {
  const left = { faults: FAULTS_MAX, refusals: REFUSALS_MAX };
  let isGivenUp = false;
  let first: string | undefined;
  return {
    add(error: unknown): void {
      left[error instanceof RpcError ? "refusals" : "faults"] -= 1;
      const isOurs = error instanceof PipelineError || error instanceof RpcError;
      first ??= isOurs ? error.message : "asking the node broke off for a reason we did not foresee";
    },
    /** Nothing more is asked, whatever was left. */
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
 * Parts the one question that spoils a request from the others: what fails is asked again in two halves, and of one
 * that fails alone nothing is known. Once there has been enough trouble, nothing is asked any more.
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

/** Was it the request, or is nobody there any more? */
async function noteFailure(rpc: Rpc, trouble: TroubleCount, error: unknown): Promise<void> {
  trouble.add(error);
  if (error instanceof RpcError || trouble.isEnough()) return;
  try {
    await rpc.call("eth_chainId", []);
  } catch (again) {
    trouble.add(again);
    trouble.giveUp("the node went away");
  }
}
