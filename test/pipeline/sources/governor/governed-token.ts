import type { GovernorToken } from "../../../../pipeline/facts/delegation.ts";
import { createGovernorSource } from "../../../../pipeline/sources/governor/governor-source.ts";
import { createRpc } from "../../../../pipeline/sources/governor/rpc.ts";
import type { HttpClient } from "../../../../pipeline/sources/http/http-client.ts";
import { plainHttpClient } from "../../../support/chain/plain-http-client.ts";
import type { Account, TestChain } from "../../../support/chain/start-chain.ts";
import type { MemorySink } from "../memory-sink.ts";
import { createFetchLedger, type FetchLedger } from "./fetch-ledger.ts";

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

/** How a fetch of the test differs from a plain one. */
export interface FetchGiven {
  readonly http?: HttpClient;
  /** What earlier fetches left; empty where none is given. */
  readonly ledger?: FetchLedger;
  readonly isFull?: boolean;
  readonly rangesPerStep?: number;
}

/** One fetch of one DAO from the test's chain, committed. Its events are all that are held then. */
export async function fetchGoverned(
  chain: TestChain,
  governor: GovernorToken,
  { http = plainHttpClient(), ledger = createFetchLedger(), ...rest }: FetchGiven = {},
): Promise<MemorySink> {
  const { sink, seen, commit } = ledger.open();
  const source = createGovernorSource({ rpcOf: () => createRpc({ http, url: chain.url }), ...rest });
  await source.fetchSpace({ spaceId: "real.eth", name: "Real", category: "defi", governor }, sink);
  commit();
  return { ...seen, events: [...ledger.events()] };
}
