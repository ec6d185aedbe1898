import * as AbiFunction from "ox/AbiFunction";
import type { Hex } from "ox/Hex";
import { isRevert } from "./is-revert.ts";
import type { Rpc, RpcOutcome } from "./rpc.ts";

/** A read of a contract. */
export interface ContractCall {
  readonly to: string;
  readonly data: Hex;
}

/** What a contract answered; `undefined` where it has no such function or refused. */
export type ContractAnswer = Hex | undefined;

/** Reads contracts one call after the other; a revert is an answer, any other refusal throws `RpcError`. */
export async function callContracts(
  rpc: Rpc,
  calls: readonly ContractCall[],
  block: string,
): Promise<ContractAnswer[]> {
  const outcomes = await rpc.callMany(calls.map((call) => ({ method: "eth_call", params: [call, block] })));
  return outcomes.map(answerOf);
}

function answerOf(outcome: RpcOutcome): ContractAnswer {
  if (outcome.kind === "result") return filledHex(outcome.result);
  if (isRevert(outcome.error)) return undefined;
  throw outcome.error;
}

/** An address without code, and a contract with an empty fallback, answer with nothing. */
export function filledHex(value: unknown): ContractAnswer {
  return isHex(value) && value.length > 2 ? value : undefined;
}

function isHex(value: unknown): value is Hex {
  return typeof value === "string" && /^0x(?:[0-9a-fA-F]{2})*$/.test(value);
}

/** Decodes a contract's answer; `undefined` for no answer and for one of another form. */
export function decodeAnswer<Item extends AbiFunction.AbiFunction>(
  item: Item,
  answer: ContractAnswer,
): AbiFunction.decodeResult.ReturnType<Item> | undefined {
  if (answer === undefined) return undefined;
  try {
    return AbiFunction.decodeResult(item, answer);
  } catch {
    // Any contract may stand at an address; what does not decode is as good as no answer.
    return undefined;
  }
}
