import * as AbiFunction from "ox/AbiFunction";
import type { Hex } from "ox/Hex";
import {
  type ContractAnswer,
  type ContractCall,
  callContracts,
  decodeAnswer,
  filledHex,
} from "./contract-call.ts";
import { GOVERNOR_LIMITS } from "./limits.ts";
import type { Rpc } from "./rpc.ts";
import { RpcError } from "./rpc-error.ts";

/** Multicall3, at the same address on nearly every chain. */
const MULTICALL = "0xca11bde05977b3631167028862be2a173976ca11";
const AGGREGATE = AbiFunction.from(
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns ((bool success, bytes returnData)[] returnData)",
);

/** Reads many contracts at once. The answers stand in the order of the calls. */
export type AggregateCalls = (calls: readonly ContractCall[], block: string) => Promise<ContractAnswer[]>;

/**
 * Reads through Multicall3 where its code is there and it says of the first call what the contract says itself;
 * anywhere else the calls go out one by one.
 */
export function createAggregateCalls(rpc: Rpc): AggregateCalls {
  let hasCode: boolean | undefined;
  return async (calls, block) => {
    if (calls.length < 2) return callContracts(rpc, calls, block);
    hasCode ??= filledHex(await rpc.call("eth_getCode", [MULTICALL, "latest"])) !== undefined;
    if (!hasCode) return callContracts(rpc, calls, block);
    const answers: ContractAnswer[] = [];
    for (let from = 0; from < calls.length; from += GOVERNOR_LIMITS.callsPerAggregateMax) {
      const part = calls.slice(from, from + GOVERNOR_LIMITS.callsPerAggregateMax);
      const together = await aggregate(rpc, part, block);
      // Whatever stands at that address, one call asked directly tells whether it can be believed.
      const [direct] = await callContracts(rpc, part.slice(0, 1), block);
      const isBelieved = together !== undefined && together[0] === direct;
      if (!isBelieved) hasCode = false;
      answers.push(...(isBelieved ? together : await callContracts(rpc, part, block)));
    }
    return answers;
  };
}

async function aggregate(
  rpc: Rpc,
  calls: readonly ContractCall[],
  block: string,
): Promise<ContractAnswer[] | undefined> {
  const targets = calls.map(({ to, data }) => ({
    target: addressOf(to),
    allowFailure: true,
    callData: data,
  }));
  const data = AbiFunction.encodeData(AGGREGATE, [targets]);
  try {
    const [answer] = await callContracts(rpc, [{ to: MULTICALL, data }], block);
    const results = decodeAnswer(AGGREGATE, answer);
    if (results?.length !== calls.length) return undefined;
    return results.map(({ success, returnData }) => (success ? filledHex(returnData) : undefined));
  } catch (error) {
    if (error instanceof RpcError) return undefined;
    throw error;
  }
}

function addressOf(to: string): Hex {
  return `0x${to.slice(2)}`;
}
