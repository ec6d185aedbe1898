import { callContracts } from "../governor/contract-call.ts";
import { createRpc } from "../governor/rpc.ts";
import type { HttpClient } from "../http/http-client.ts";
import type { EthCall } from "./eth-call.ts";

/**
 * Calls contracts through a node of Ethereum, at its latest block: names are as of now. A contract that refuses answers
 * nothing (`0x`), CCIP-Read's `OffchainLookup` among it; a node that does not answer throws.
 */
export function ethCallOfNode(node: { readonly http: HttpClient; readonly url: string }): EthCall {
  const rpc = createRpc(node);
  return async (to, data) => {
    const [answer] = await callContracts(rpc, [{ to, data }], "latest");
    return answer ?? "0x";
  };
}
