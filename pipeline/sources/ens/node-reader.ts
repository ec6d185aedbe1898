import { PipelineError } from "../../facts/errors.ts";
import { createRpc, parseQuantity, type Rpc, RpcError, type RpcOutcome } from "../governor/rpc.ts";
import type { HttpClient } from "../http/http-client.ts";
import {
  aggregateCall,
  answerOutcome,
  askRegistry,
  type ContractRead,
  type ContractReader,
  decodeAggregate,
  ethCall,
  type ReadOutcome,
  readSingly,
  sortAnswers,
} from "./contract-reader.ts";

/** Requests that may get no answer: parting the one bad from a hundred costs eight, and each may last minutes. */
const FAULTS_MAX = 10;

/** Requests that a node may refuse: parting a resolver that burns all gas costs seven or so, and many are borne. */
const REFUSALS_MAX = 200;

/** What went wrong on the way to one node, and when it has been enough. */
export interface TroubleCount {
  /** Takes note of one more; an interrupt is no trouble of the node's and is thrown on. */
  add(error: unknown): void;
  /** Nothing more is asked, whatever was left. */
  giveUp(reason: string): void;
  isEnough(): boolean;
  /** Fit to be shown: it holds nothing that a node said. */
  first(): string | undefined;
}

/** Starts the count for one run. */
export function createTroubleCount(): TroubleCount {
  const left = { faults: FAULTS_MAX, refusals: REFUSALS_MAX };
  let isGivenUp = false;
  let first: string | undefined;
  return {
    add(error) {
      if (error instanceof PipelineError && error.code === "INTERRUPTED") throw error;
      left[error instanceof RpcError ? "refusals" : "faults"] -= 1;
      first ??= reasonOf(error);
    },
    giveUp(reason) {
      isGivenUp = true;
      first ??= reason;
    },
    isEnough: () => isGivenUp || left.faults <= 0 || left.refusals <= 0,
    first: () => first,
  };
}

function reasonOf(error: unknown): string {
  const isOurs = error instanceof PipelineError || error instanceof RpcError;
  return isOurs ? error.message : "asking the node broke off for a reason we did not foresee";
}

/** One request with many questions; throws where it did not get through as a whole. */
export type AskContracts = (reads: readonly ContractRead[]) => Promise<readonly ReadOutcome[]>;

type AskInHalves = (reads: readonly ContractRead[], request: AskContracts) => Promise<readonly ReadOutcome[]>;

const UNKNOWN: ReadOutcome = { kind: "unknown" };

/**
 * Parts the one question that spoils a request from the others: what fails is asked again in two halves, and of one
 * that fails alone nothing is known. Once there has been enough trouble, nothing is asked any more.
 */
export function createHalving(rpc: Rpc, trouble: TroubleCount): AskInHalves {
  /** Was it the request, or is nobody there any more? */
  async function noteFailure(error: unknown): Promise<void> {
    trouble.add(error);
    if (error instanceof RpcError || trouble.isEnough()) return;
    try {
      await rpc.call("eth_chainId", []);
    } catch (again) {
      trouble.add(again);
      trouble.giveUp("the node went away");
    }
  }

  const askInHalves: AskInHalves = async (reads, request) => {
    if (reads.length === 0 || trouble.isEnough()) return reads.map(() => UNKNOWN);
    try {
      return await request(reads);
    } catch (error) {
      await noteFailure(error);
      if (reads.length === 1) return [UNKNOWN];
      const middle = Math.ceil(reads.length / 2);
      const first = await askInHalves(reads.slice(0, middle), request);
      return [...first, ...(await askInHalves(reads.slice(middle), request))];
    }
  };
  return askInHalves;
}

/** A question with a known shape of answer, for finding out who is there. */
const TRIAL = askRegistry("eth");
const TRIAL_GAS = 500_000;

/** Whether names can be asked through a node, and whether many at once. */
export type EnsNode =
  | { readonly kind: "open"; readonly hasMulticall: boolean }
  | { readonly kind: "unfit"; readonly reason: string };

/**
 * Looks at a node before it is believed: a test network has a registry at the same address, in which anybody may take
 * any name. Throws where the node does not answer.
 */
export async function openEnsNode(rpc: Rpc, chainId: number): Promise<EnsNode> {
  const [chain, direct, together] = await rpc.callMany([
    { method: "eth_chainId", params: [] },
    ethCall(TRIAL, TRIAL_GAS),
    aggregateCall([TRIAL]),
  ]);
  const served = parseQuantity(resultOf(chain), "chain id");
  if (served !== chainId) {
    return {
      kind: "unfit",
      reason: `the node serves chain ${served}, and names are asked on chain ${chainId}`,
    };
  }
  const plain = answerOutcome(resultOf(direct));
  if (plain.kind !== "answer") return { kind: "unfit", reason: `there is no ENS on chain ${chainId}` };
  // Anything may stand at Multicall3's address; it is believed once it says what the registry says itself.
  const aggregated = decodeAggregate(resultOf(together), 1)?.[0];
  const hasMulticall = aggregated?.success === true && aggregated.returnData === plain.data;
  return { kind: "open", hasMulticall };
}

function resultOf(outcome: RpcOutcome | undefined): unknown {
  return outcome?.kind === "result" ? outcome.result : undefined;
}

/** Questions of one request, and of one JSON-RPC batch: the smallest limit of a large provider. */
const READS_AT_ONCE = 100;

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
  const askInHalves = createHalving(rpc, trouble);
  let hasMulticall: boolean | undefined;

  async function open(): Promise<boolean> {
    try {
      const found = await openEnsNode(rpc, node.chainId);
      if (found.kind === "open") return found.hasMulticall;
      trouble.giveUp(found.reason);
    } catch (error) {
      trouble.add(error);
      trouble.giveUp("the node does not answer");
    }
    return false;
  }

  const singly: AskContracts = (reads) =>
    askInHalves(reads, async (part) => {
      const { outcomes, refusal } = await readSingly(rpc, part);
      if (refusal !== undefined) trouble.add(refusal);
      return outcomes;
    });

  const together: AskContracts = (reads) =>
    askInHalves(reads, async (part) => {
      if (part.length === 1) return singly(part);
      const { method, params } = aggregateCall(part);
      const answers = decodeAggregate(await rpc.call(method, params), part.length);
      if (answers === undefined) return singly(part);
      const { known, failed, late } = sortAnswers(part, answers);
      await learn(known, failed, singly);
      await learn(known, late, together);
      return part.map((read) => known.get(read) ?? { kind: "unknown" });
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

async function learn(
  known: Map<ContractRead, ReadOutcome>,
  reads: readonly ContractRead[],
  ask: AskContracts,
): Promise<void> {
  const outcomes = await ask(reads);
  for (const [index, read] of reads.entries()) known.set(read, outcomes[index] ?? { kind: "unknown" });
}
