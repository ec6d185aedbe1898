import * as AbiFunction from "ox/AbiFunction";
import { decodeAnswer, filledHex } from "../governor/contract-call.ts";
import type { RpcCall } from "../governor/rpc.ts";
import type { ContractRead, Hex, ReadOutcome } from "./contract-reader.ts";
import { answerOutcome, ethCall } from "./single-reads.ts";

/** Multicall3, at the same address on nearly every chain. */
const MULTICALL: Hex = "0xca11bde05977b3631167028862be2a173976ca11";

const AGGREGATE = AbiFunction.from(
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns ((bool success, bytes returnData)[] returnData)",
);

/** Half of what Geth grants a call by default, and five times what a hundred plain answers cost. */
const AGGREGATE_GAS = 25_000_000;

/** What Multicall3 says of one of the calls it was given. */
export interface AggregatedAnswer {
  readonly success: boolean;
  readonly returnData: Hex;
}

/** One call of a node that asks many contracts. */
export function aggregateCall(reads: readonly ContractRead[]): RpcCall {
  const calls = reads.map(({ to, data }) => ({ target: to, allowFailure: true, callData: data }));
  return ethCall({ to: MULTICALL, data: AbiFunction.encodeData(AGGREGATE, [calls]) }, AGGREGATE_GAS);
}

/** The answers to so many calls; `undefined` where something else than Multicall3 has answered. */
export function decodeAggregate(result: unknown, count: number): readonly AggregatedAnswer[] | undefined {
  const answers = decodeAnswer(AGGREGATE, filledHex(result));
  return answers?.length === count ? answers : undefined;
}

/**
 * Which answers may be believed, and which questions are to be asked again: those that failed, alone, as another one may
 * have burnt their gas; and those after a failure, as they may have had too little of it left to say all they would.
 */
export function sortAnswers(
  reads: readonly ContractRead[],
  answers: readonly AggregatedAnswer[],
): {
  readonly known: Map<ContractRead, ReadOutcome>;
  readonly failed: readonly ContractRead[];
  readonly late: readonly ContractRead[];
} {
  const known = new Map<ContractRead, ReadOutcome>();
  const failed: ContractRead[] = [];
  const late: ContractRead[] = [];
  for (const [index, read] of reads.entries()) {
    const answer = answers[index];
    if (answer?.success !== true) failed.push(read);
    else if (failed.length > 0) late.push(read);
    else known.set(read, answerOutcome(answer.returnData));
  }
  return { known, failed, late };
}
