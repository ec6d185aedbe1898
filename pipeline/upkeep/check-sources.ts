import { existsSync } from "node:fs";
import { formatCount } from "../../snapshots/base/command-line/table.ts";
import { isPipelineFailure, pipelineFailure } from "../facts/errors.ts";
import {
  neededSources,
  PUBLIC_ONCHAIN_URL,
  requireUrlOf,
  SOURCES,
  type SourceId,
} from "../facts/source-table.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import { parseUrl } from "../facts/upstream-text.ts";
import { homeFile } from "../home/home.ts";
import { readRegistry } from "../home/read-registry.ts";
import { httpIdentityOf, type RunEffects, type Settings } from "../home/settings.ts";
import { openSource, type SourceOptions } from "../sources/all.ts";
import { readDelegateTotals } from "../sources/delegates-api/delegates-source.ts";
import { createRpc, type Rpc } from "../sources/governor/rpc.ts";
import { createHttpClient, type HttpClient, type HttpPace } from "../sources/http/http-client.ts";
import { openHub } from "../sources/hub/ask-hub.ts";
import { openWarehouseView } from "../warehouse/warehouse-reader.ts";
import { checkChain, checkContracts, checkOnchain, checkSpace, type PartCheck } from "./check-entry.ts";
import { type Fact, fail, fine, warn } from "./check-home.ts";

/** The sources that a run would use, read from its environment variables. */
export interface NamedSources extends Omit<SourceOptions, "source"> {
  /** `undefined`: those that the registry needs. */
  readonly sources: readonly SourceId[] | undefined;
}

const sourcesOf = (settings: Settings, named: NamedSources | undefined): readonly SourceId[] =>
  named?.sources ?? neededSources(readRegistry(settings), named ?? {});

/** A diagnosis should not take as long as a run. */
const SHORT_TIMEOUTS = { attemptsMax: 1, headersTimeoutMs: 15_000, attemptTimeoutMs: 15_000 };

const shortPaceOf = (named: NamedSources | undefined): HttpPace => ({ ...named?.pace, ...SHORT_TIMEOUTS });

const SPACES_ASKED = 100;

type Clock = Pick<RunEffects, "nowMs">;

/** Whether every source can be opened (an archive's folder, a hub's URL) and a hub answers a cheap request. */
export async function checkSources(
  settings: Settings,
  named: NamedSources | undefined,
  clock: Clock,
): Promise<Fact> {
  const sources = sourcesOf(settings, named);
  if (named === undefined)
    return fine(`not asked: no variable is set; a run would use ${sources.join(", ")}`);
  const daos = readRegistry(settings).daos.slice(0, SPACES_ASKED);
  const lines = [sources.join(", ")];
  for (const source of sources) {
    if (SOURCES[source].from === "folder" && !existsSync(named.from ?? "")) {
      // The error of opening it would contain its path.
      const next = "Set it to one; fixtures/README.md shows its layout.";
      return fail("GOVDATA_FROM is not the folder of an archive", next);
    }
    const options = { ...named, source, pace: shortPaceOf(named) };
    const opened = openSource(options, httpIdentityOf(settings, clock));
    try {
      const wanted = daos.filter(SOURCES[source].isFor);
      const survey = await opened.survey?.(wanted, () => undefined);
      if (survey === undefined) continue;
      const { spaceIds, requests, minutes } = survey;
      if (spaceIds === undefined) lines.push(`${source} answers`);
      else lines.push(`the hub answers and has ${spaceIds.size} of ${wanted.length} spaces`);
      if (spaceIds !== undefined && spaceIds.size < wanted.length) {
        return warn(lines.join("; "), "`govdata dao check` lists the missing ones.");
      }
      lines.push(
        `fetching them all takes at most ${formatCount(requests, "request")} and ${formatCount(minutes, "minute")}`,
      );
    } catch (error) {
      if (!isPipelineFailure(error)) throw error;
      return fail(error.message, error.hint ?? "Check that GOVDATA_FROM is the hub's URL and reachable.");
    } finally {
      await opened.close();
    }
  }
  return fine(lines.join("; "));
}

/** Whether each chain of the registry has a node that answers and serves that chain. */
export async function checkNodes(
  settings: Settings,
  named: NamedSources | undefined,
  clock: Clock,
): Promise<Fact> {
  if (named === undefined || !sourcesOf(settings, named).some((id) => SOURCES[id].from === "nodes")) {
    return fine("not checked: no chain is read");
  }
  const http = createHttpClient({ ...httpIdentityOf(settings, clock), settings: shortPaceOf(named) });
  try {
    const nodes = nodesOf(readRegistry(settings).daos, named.rpcUrlOf, http);
    const problems: string[] = [];
    for (const [chainId, rpc] of nodes) {
      const { status, detail } = await checkChain(rpc, chainId);
      if (status !== "same") problems.push(`chain ${chainId}: ${detail}`);
    }
    if (problems.length === 0) return fine(`${nodes.size} of ${nodes.size} nodes answer`);
    return fail(problems.join("\n"), "Set GOVDATA_RPC_<chain id> to the URL of a node of that chain.");
  } finally {
    await http.close();
  }
}

/** Above this share of the power, the service and the node differ by more than what happened between their readings. */
const POWER_DIFFERS = 0.01;

/** Whether the delegates service answers, and how far its totals differ from the delegations read from nodes. */
export async function checkDelegates(
  settings: Settings,
  named: NamedSources | undefined,
  clock: Clock,
): Promise<Fact> {
  const url = named?.delegatesUrl ?? "";
  if (url === "") return fine("not checked: GOVDATA_DELEGATES is not set");
  if (parseUrl(url) === undefined) return fail("GOVDATA_DELEGATES is not a URL", "Correct or unset it.");
  const http = createHttpClient({ ...httpIdentityOf(settings, clock), settings: shortPaceOf(named) });
  const path = homeFile(settings, "warehouse");
  const warehouse = existsSync(path) ? openWarehouseView(path) : undefined;
  try {
    const daos = readRegistry(settings).daos.filter(({ governor }) => governor !== undefined);
    const lines: string[] = [];
    let largest = 0;
    let listed = 0;
    for (const dao of daos) {
      const { spaceId, governor } = dao;
      const counted = governor && (await readDelegateTotals({ http, url }, governor));
      if (counted === undefined) continue;
      listed += 1;
      const powers = new Map<string, bigint>();
      for (const event of warehouse?.dao(dao).delegationEvents ?? []) {
        if (event.kind !== "votes-changed") continue;
        if (event.after > 0n) powers.set(event.delegate, event.after);
        else powers.delete(event.delegate);
      }
      if (powers.size === 0) continue;
      const votes = [...powers.values()].reduce((sum, one) => sum + one, 0n);
      const difference = counted.votes > votes ? counted.votes - votes : votes - counted.votes;
      const share = Number(difference) / Number(votes);
      largest = Math.max(largest, share);
      lines.push(
        `${spaceId}: ${counted.count} delegates and ${powers.size} read from the node; power differs by ${(100 * share).toFixed(2)} %`,
      );
    }
    const message = `the delegates service has the tokens of ${listed} of ${daos.length} DAOs`;
    const text = [message, ...lines].join("\n");
    if (largest <= POWER_DIFFERS) return fine(text);
    return warn(text, "The node's are published. Fetch both again and compare.");
  } finally {
    warehouse?.close();
    await http.close();
  }
}

/** The node of each chain of the registry; `undefined` where none is configured. */
function nodesOf(
  daos: readonly TrackedDao[],
  rpcUrlOf: SourceOptions["rpcUrlOf"],
  http: HttpClient,
): ReadonlyMap<number, Rpc | undefined> {
  const chains = new Set(daos.flatMap(({ governor }) => governor?.chainId ?? []));
  return new Map(
    [...chains].map((chainId) => {
      const url = rpcUrlOf?.(chainId);
      // An empty variable means no node.
      return [chainId, url === undefined || url === "" ? undefined : createRpc({ http, url })];
    }),
  );
}

export interface DaoCheck extends PartCheck {
  readonly spaceId: string;
  readonly name: string;
}

/** The live sources to compare the registry with. */
interface LiveOptions extends Pick<SourceOptions, "hubKey" | "onchainUrl" | "rpcUrlOf"> {
  /** `undefined` to ask chain nodes alone, and no service of Snapshot. */
  readonly hubUrl: string | undefined;
  readonly pace: HttpPace;
}

/** `govdata dao check`: a source that does not answer is a failed part. Throws `BAD_OPTION` without a source. */
export async function checkRegistry(
  settings: Settings,
  { hubUrl, hubKey: apiKey, onchainUrl = PUBLIC_ONCHAIN_URL, rpcUrlOf, pace }: LiveOptions,
  effects: RunEffects,
): Promise<readonly DaoCheck[]> {
  if (hubUrl !== undefined) requireUrlOf("snapshot-hub", hubUrl);
  requireUrlOf("snapshot-api", onchainUrl);
  const { daos } = readRegistry(settings);
  const http = createHttpClient({ ...httpIdentityOf(settings, effects), settings: pace });
  try {
    const nodes = nodesOf(daos, rpcUrlOf, http);
    const hub = hubUrl === undefined ? undefined : openHub({ http, url: hubUrl, apiKey });
    if (hub === undefined && ![...nodes.values()].some((rpc) => rpc !== undefined)) {
      const message = "there is no source to check: neither --from nor a node of a chain in the registry";
      const hint = "Set --from to the URL of a Snapshot hub, or GOVDATA_RPC_<chain id> to the URL of a node.";
      throw pipelineFailure("BAD_OPTION", message, { hint });
    }
    const checks: DaoCheck[] = [];
    for (const [index, dao] of daos.entries()) {
      const { spaceId, name, governor, onchain } = dao;
      const parts = [
        ...(hub === undefined ? [] : await checkSpace(hub, dao)),
        ...(hub && onchain ? [await checkOnchain({ http, url: onchainUrl }, name, onchain)] : []),
        ...(governor === undefined ? [] : await checkContracts(nodes.get(governor.chainId), governor)),
      ];
      checks.push(...parts.map((part) => ({ spaceId, name, ...part })));
      const counts: Record<string, number> = {};
      for (const { status } of parts) counts[status] = (counts[status] ?? 0) + 1;
      effects.progress.step("check", index + 1, daos.length, spaceId, counts);
    }
    return checks;
  } finally {
    await http.close();
  }
}
