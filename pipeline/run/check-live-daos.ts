import { parseUrl } from "../base/parse-url.ts";
import { PipelineError } from "../base/pipeline-error.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import { createRpc, type Rpc } from "../sources/governor/rpc.ts";
import type { HttpClient } from "../sources/http/http-client.ts";
import { createChainChecker } from "./chain-checker.ts";
import { checkDaos, type DaoCheck, type DaoChecker } from "./check-daos.ts";
import type { RunEffects } from "./effects.ts";
import { readRegistry } from "./home.ts";
import { createHubSpaceChecker } from "./hub-space-checker.ts";
import { type HttpPace, openHttp } from "./open-http.ts";
import type { Settings } from "./settings.ts";

/** Which live sources to ask: a hub, nodes of chains, or both. */
export interface LiveOptions {
  readonly hubUrl: string | undefined;
  readonly hubKey: string | undefined;
  /** Address of a node of a chain; it may hold a key and is never shown. */
  readonly rpcUrlOf: (chainId: number) => string | undefined;
  readonly pace?: HttpPace;
}

/** `govdata dao check`: every entry of the registry against the live sources. Throws `PipelineError` BAD_OPTION where none was given. */
export async function checkLiveDaos(
  settings: Settings,
  options: LiveOptions,
  effects: RunEffects,
): Promise<readonly DaoCheck[]> {
  const { daos } = readRegistry(settings);
  refuseNothing(daos, options);
  const http = openHttp(settings, effects, options.pace ?? {});
  try {
    return await checkDaos(daos, { checkers: checkersOf(http, options), progress: effects.progress });
  } finally {
    await http.close();
  }
}

function refuseNothing(daos: readonly TrackedDao[], { hubUrl, rpcUrlOf }: LiveOptions): void {
  if (hubUrl !== undefined && parseUrl(hubUrl) === undefined) {
    throw new PipelineError("BAD_OPTION", "--from must be the URL of a Snapshot hub", {
      hint: "It ends in /graphql.",
    });
  }
  const hasNode = daos.some(({ governor }) => governor !== undefined && rpcUrlOf(governor.chainId));
  if (hubUrl !== undefined || hasNode) return;
  throw new PipelineError(
    "BAD_OPTION",
    "there is nothing to ask: no --from, and no node of a chain of the registry",
    {
      hint: "Give --from the URL of a Snapshot hub, or GOVDATA_RPC_<chain id> the address of a node.",
    },
  );
}

function checkersOf(http: HttpClient, { hubUrl, hubKey, rpcUrlOf }: LiveOptions): readonly DaoChecker[] {
  const nodes = new Map<number, Rpc | undefined>();
  const rpcOf = (chainId: number): Rpc | undefined => {
    const url = rpcUrlOf(chainId);
    const rpc = nodes.get(chainId) ?? (url === undefined ? undefined : createRpc({ http, url }));
    nodes.set(chainId, rpc);
    return rpc;
  };
  const hub = hubUrl === undefined ? [] : [createHubSpaceChecker({ http, url: hubUrl, apiKey: hubKey })];
  return [...hub, createChainChecker(rpcOf)];
}
