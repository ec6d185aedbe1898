import { existsSync } from "node:fs";
import { PipelineError } from "../facts/errors.ts";
import type { SourceId } from "../facts/governance-source.ts";
import { readRegistry } from "../home/home.ts";
import { httpIdentityOf, type Settings } from "../home/settings.ts";
import type { SourceOptions } from "../sources/all.ts";
import { type Found, fail, fine, warn } from "./doctor-home.ts";

/** What a run would ask, as the variables say that its unit gives it. */
export interface NamedSources extends Omit<SourceOptions, "source"> {
  readonly sources: readonly SourceId[];
}

/** Nobody waits for a doctor as long as for a run. */
const IMPATIENT = { attemptsMax: 1, headersTimeoutMs: 15_000, attemptTimeoutMs: 15_000 };

/** So many spaces are one request. */
const SPACES_ASKED = 100;

/** That every source can be opened (an archive's folder, a hub's address), and that a hub answers one cheap request. */
export async function checkSources(
  settings: Settings,
  named: NamedSources | undefined,
  nowMs: () => number,
): Promise<Found> {
  if (named === undefined) return fine("no variable names a source (GOVDATA_SOURCE): options do");
  const { openSource } = await import("../sources/all.ts");
  const daos = readRegistry(settings).daos.slice(0, SPACES_ASKED);
  const said = [`GOVDATA_SOURCE: ${named.sources.join(", ")}`];
  for (const source of named.sources) {
    if (source === "archive" && !existsSync(named.from ?? "")) {
      // Whoever opens it would name its path.
      return fail(
        "GOVDATA_FROM is not the folder of an archive",
        "Set it to one; fixtures/README.md shows its layout.",
      );
    }
    const pace = { ...named.pace, ...IMPATIENT };
    const opened = openSource({ ...named, source, pace }, httpIdentityOf(settings, { nowMs }));
    try {
      const found = await opened.estimate?.(daos, () => 0);
      if (found === undefined) continue;
      const { spaces, requests, minutes } = found;
      said.push(`the hub answers and knows ${spaces} of ${daos.length} spaces`);
      if (spaces < daos.length) return warn(said.join("; "), "`govdata dao check` says which are missing.");
      said.push(`to fetch them all takes at most ${requests} requests and ${minutes} minutes`);
    } catch (error) {
      if (!(error instanceof PipelineError)) throw error;
      return fail(
        error.message,
        error.hint ?? "Check that GOVDATA_FROM is the hub's address and can be reached.",
      );
    } finally {
      await opened.close();
    }
  }
  return fine(said.join("; "));
}

/** That each chain of the registry has a node, which answers and serves that chain. */
export async function checkNodes(
  settings: Settings,
  named: NamedSources | undefined,
  nowMs: () => number,
): Promise<Found> {
  if (named?.sources.includes("governor") !== true) return fine("not asked: no variable names governors");
  const [{ createHttpClient }, { createRpc, parseQuantity, RpcError }] = await Promise.all([
    import("../sources/http/http-client.ts"),
    import("../sources/governor/rpc.ts"),
  ]);
  const paced = { ...named.pace, ...IMPATIENT };
  const http = createHttpClient({ ...httpIdentityOf(settings, { nowMs }), settings: paced });
  const troubleWith = async (chainId: number): Promise<string | undefined> => {
    const url = named.rpcUrlOf?.(chainId);
    if (url === undefined || url === "") return "no node is named";
    try {
      const served = parseQuantity(await createRpc({ http, url }).call("eth_chainId", []), "chain id");
      return served === chainId ? undefined : `the node serves chain ${served}`;
    } catch (error) {
      if (error instanceof PipelineError || error instanceof RpcError) return error.message;
      throw error;
    }
  };
  const chains = new Set(readRegistry(settings).daos.flatMap(({ governor }) => governor?.chainId ?? []));
  const troubles: string[] = [];
  for (const chainId of chains) {
    const trouble = await troubleWith(chainId);
    if (trouble !== undefined) troubles.push(`chain ${chainId}: ${trouble}`);
  }
  await http.close();
  if (troubles.length === 0) return fine(`nodes that answer: ${chains.size} of ${chains.size}`);
  return fail(troubles.join("\n"), "Set GOVDATA_RPC_<chain id> to the address of a node of that chain.");
}
