import type { GovernorToken } from "../../../../pipeline/facts/delegation.ts";
import { createGovernorSource } from "../../../../pipeline/sources/governor/index.ts";
import { createRpc } from "../../../../pipeline/sources/governor/rpc.ts";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import type { Account, TestChain } from "../../../support/chain/start-chain.ts";
import { type MemorySink, memorySink } from "../memory-sink.ts";

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

/** One fetch of one DAO from the test's chain. */
export async function fetchGoverned(
  chain: TestChain,
  governor: GovernorToken,
  http: HttpClient = plainHttpClient(),
): Promise<MemorySink> {
  const sink = memorySink();
  const source = createGovernorSource({ rpcOf: () => createRpc({ http, url: chain.url }) });
  await source.fetchSpace({ spaceId: "real.eth", name: "Real", category: "defi", governor }, sink);
  return sink;
}
