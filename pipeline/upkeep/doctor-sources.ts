import { existsSync } from "node:fs";
import { isPipelineFailure } from "../facts/errors.ts";
import { SOURCES, type SourceId } from "../facts/source-table.ts";
import { readRegistry } from "../home/home.ts";
import { httpIdentityOf, type Settings } from "../home/settings.ts";
import type { SourceOptions } from "../sources/all.ts";
import { type Found, fail, fine, warn } from "./doctor-home.ts";

/** The sources that a run would use, read from its environment variables. */
export interface NamedSources extends Omit<SourceOptions, "source"> {
  readonly sources: readonly SourceId[];
}

/** A diagnosis should not take as long as a run. */
const SHORT_TIMEOUTS = { attemptsMax: 1, headersTimeoutMs: 15_000, attemptTimeoutMs: 15_000 };

const SPACES_ASKED = 100;

/** Whether every source can be opened (an archive's folder, a hub's URL) and a hub answers a cheap request. */
export async function checkSources(
  settings: Settings,
  named: NamedSources | undefined,
  nowMs: () => number,
): Promise<Found> {
  if (named === undefined) return fine("GOVDATA_SOURCE is not set; sources come from options");
  const { openSource } = await import("../sources/all.ts");
  const daos = readRegistry(settings).daos.slice(0, SPACES_ASKED);
  const lines = [`GOVDATA_SOURCE: ${named.sources.join(", ")}`];
  for (const source of named.sources) {
    if (SOURCES[source].from === "folder" && !existsSync(named.from ?? "")) {
      // The error of opening it would contain its path.
      return fail(
        "GOVDATA_FROM is not the folder of an archive",
        "Set it to one; fixtures/README.md shows its layout.",
      );
    }
    const pace = { ...named.pace, ...SHORT_TIMEOUTS };
    const opened = openSource({ ...named, source, pace }, httpIdentityOf(settings, { nowMs }));
    try {
      const wanted = daos.filter(SOURCES[source].isFor);
      const found = await opened.survey?.(wanted, () => 0);
      if (found === undefined) continue;
      const { spaceIds, requests, minutes } = found;
      lines.push(`the hub answers and has ${spaceIds.size} of ${wanted.length} spaces`);
      if (spaceIds.size < wanted.length)
        return warn(lines.join("; "), "`govdata dao check` lists the missing ones.");
      lines.push(`fetching them all takes at most ${requests} requests and ${minutes} minutes`);
    } catch (error) {
      if (!isPipelineFailure(error)) throw error;
      return fail(error.message, error.hint ?? "Check that GOVDATA_FROM is the hub's URL and reachable.");
    } finally {
      await opened.close();
    }
  }
  return fine(lines.join("; "));
}

/** Checks that each chain of the registry has a node that answers and serves that chain. */
export async function checkNodes(
  settings: Settings,
  named: NamedSources | undefined,
  nowMs: () => number,
): Promise<Found> {
  if (named?.sources.some((source) => SOURCES[source].from === "nodes") !== true)
    return fine("not checked: GOVDATA_SOURCE has no governor");
  const [{ createHttpClient }, { createRpc, parseQuantity, isRpcRefusal }] = await Promise.all([
    import("../sources/http/http-client.ts"),
    import("../sources/governor/rpc.ts"),
  ]);
  const paced = { ...named.pace, ...SHORT_TIMEOUTS };
  const http = createHttpClient({ ...httpIdentityOf(settings, { nowMs }), settings: paced });
  const problemOf = async (chainId: number): Promise<string | undefined> => {
    const url = named.rpcUrlOf?.(chainId);
    if (url === undefined || url === "") return "no node is configured";
    try {
      const served = parseQuantity(await createRpc({ http, url }).call("eth_chainId", []), "chain id");
      return served === chainId ? undefined : `the node serves chain ${served}`;
    } catch (error) {
      if (isPipelineFailure(error) || isRpcRefusal(error)) return error.message;
      throw error;
    }
  };
  const chains = new Set(readRegistry(settings).daos.flatMap(({ governor }) => governor?.chainId ?? []));
  const problems: string[] = [];
  for (const chainId of chains) {
    const problem = await problemOf(chainId);
    if (problem !== undefined) problems.push(`chain ${chainId}: ${problem}`);
  }
  await http.close();
  if (problems.length === 0) return fine(`${chains.size} of ${chains.size} nodes answer`);
  return fail(problems.join("\n"), "Set GOVDATA_RPC_<chain id> to the URL of a node of that chain.");
}
