import * as AbiFunction from "ox/AbiFunction";
import type { GovernorToken } from "../facts/delegation.ts";
import { callContracts, decodeAnswer, filledHex } from "../sources/governor/contract-call.ts";
import { parseQuantity } from "../sources/governor/quantity.ts";
import type { Rpc } from "../sources/governor/rpc.ts";
import { type AskedPart, askPart } from "./ask-part.ts";
import type { DaoChecker, PartCheck } from "./check-daos.ts";
import { checkToken } from "./check-token.ts";

const TOKEN_OF = AbiFunction.from("function token() view returns (address)");

/** Compares the token and the governor of a DAO's entry with the contracts on their chain. */
export function createChainChecker(rpcOf: (chainId: number) => Rpc | undefined): DaoChecker {
  return {
    part: "chain",
    async check({ governor }) {
      if (governor === undefined) return [];
      const { chainId } = governor;
      const rpc = rpcOf(chainId);
      if (rpc === undefined) {
        const detail = `no node of chain ${chainId} is configured (GOVDATA_RPC_${chainId})`;
        return [{ part: "chain", status: "not-checked", detail }];
      }
      const chain = await askPart("chain", async () => chainCheck(rpc, chainId));
      // What another chain has at these addresses is nothing to compare with.
      if (chain.status !== "same") return [chain];
      return [chain, ...(await checkToken(rpc, governor)), ...(await checkGovernor(rpc, governor))];
    },
  };
}

async function chainCheck(rpc: Rpc, chainId: number): Promise<AskedPart> {
  const served = parseQuantity(await rpc.call("eth_chainId", []), "chain id");
  if (served === chainId) return { status: "same" };
  return { status: "differs", detail: `the node serves chain ${served}; nothing else was asked` };
}

async function checkGovernor(
  rpc: Rpc,
  { governor, token, chainId }: GovernorToken,
): Promise<readonly PartCheck[]> {
  if (governor === undefined) return [];
  const code = await askPart("governor", async () => {
    const there = filledHex(await rpc.call("eth_getCode", [governor, "latest"]));
    if (there !== undefined) return { status: "same" };
    return { status: "missing", detail: `there is no contract at ${governor} on chain ${chainId}` };
  });
  if (code.status !== "same") return [code];
  return [code, await askPart("governor-token", async () => governorTokenCheck(rpc, governor, token))];
}

async function governorTokenCheck(rpc: Rpc, governor: string, token: string): Promise<AskedPart> {
  const call = { to: governor, data: AbiFunction.encodeData(TOKEN_OF) };
  const [answer] = await callContracts(rpc, [call], "latest");
  const there = decodeAnswer(TOKEN_OF, answer)?.toLowerCase();
  if (there === undefined) {
    return { status: "not-checked", detail: "the governor has no token(), as many older ones" };
  }
  if (there === token) return { status: "same" };
  return { status: "differs", detail: `the governor counts the votes of ${there}` };
}
