import { z } from "zod";
import type { GovernorToken } from "../facts/delegation.ts";
import { isPipelineFailure, pipelineFailure } from "../facts/errors.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import { parseUrl, upstreamText } from "../facts/upstream-text.ts";
import { readRegistry } from "../home/home.ts";
import { httpIdentityOf, type Progress, type RunEffects, type Settings } from "../home/settings.ts";
import { createRpc, type Rpc } from "../sources/governor/rpc.ts";
import type { HttpClient } from "../sources/http/http-client.ts";
import { createHttpClient, type HttpPace } from "../sources/http/http-client.ts";
import { askHub, type HubAccess, type HubQuery } from "../sources/hub/ask-hub.ts";
import { createChainChecker, type DaoChecker, type PartCheck } from "./check-contracts.ts";

/** The live sources to check: a hub, chain nodes, or both. */
export interface LiveOptions {
  readonly hubUrl: string | undefined;
  readonly hubKey: string | undefined;
  /** URL of a chain's node; it may contain a key and is never shown. */
  readonly rpcUrlOf: (chainId: number) => string | undefined;
  readonly pace?: HttpPace;
}

/** `govdata dao check`: compares the registry with the sources. Throws `BAD_OPTION` without a source. */
export async function checkLiveDaos(
  settings: Settings,
  options: LiveOptions,
  effects: RunEffects,
): Promise<readonly DaoCheck[]> {
  const { daos } = readRegistry(settings);
  requireSource(daos, options);
  const http = createHttpClient({ ...httpIdentityOf(settings, effects), settings: options.pace ?? {} });
  try {
    return await checkDaos(daos, { checkers: checkersOf(http, options), progress: effects.progress });
  } finally {
    await http.close();
  }
}

function requireSource(daos: readonly TrackedDao[], { hubUrl, rpcUrlOf }: LiveOptions): void {
  if (hubUrl !== undefined && parseUrl(hubUrl) === undefined) {
    throw pipelineFailure("BAD_OPTION", "--from must be the URL of a Snapshot hub", {
      hint: "It ends in /graphql.",
    });
  }
  const hasNode = daos.some(({ governor }) => governor !== undefined && rpcUrlOf(governor.chainId));
  if (hubUrl !== undefined || hasNode) return;
  throw pipelineFailure(
    "BAD_OPTION",
    "there is no source to check: neither --from nor a node of a chain in the registry",
    {
      hint: "Set --from to the URL of a Snapshot hub, or GOVDATA_RPC_<chain id> to the URL of a node.",
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

/** One comparison and its DAO. */
export interface DaoCheck extends PartCheck {
  readonly spaceId: string;
  readonly name: string;
}

/** Compares DAOs with live sources, one by one; a failed check does not stop the others. */
export async function checkDaos(
  daos: readonly TrackedDao[],
  { checkers, progress }: { readonly checkers: readonly DaoChecker[]; readonly progress: Progress },
): Promise<readonly DaoCheck[]> {
  const checks: DaoCheck[] = [];
  for (const [index, dao] of daos.entries()) {
    const { spaceId, name } = dao;
    const parts: PartCheck[] = [];
    for (const checker of checkers) parts.push(...(await checkDao(dao, checker)));
    checks.push(...parts.map((part) => ({ spaceId, name, ...part })));
    const counts: Record<string, number> = {};
    for (const { status } of parts) counts[status] = (counts[status] ?? 0) + 1;
    progress.step("check", index + 1, daos.length, spaceId, counts);
  }
  return checks;
}

async function checkDao(dao: TrackedDao, { part, check }: DaoChecker): Promise<readonly PartCheck[]> {
  try {
    return await check(dao);
  } catch (error) {
    if (!isPipelineFailure(error) || error.code === "INTERRUPTED") throw error;
    return [{ part, status: "failed", detail: error.message }];
  }
}

const CHECK_QUERY: HubQuery = {
  name: "Space",
  field: "space",
  text: `query Space($id: String!) {
  space(id: $id) {
    id name
    strategies { name network params }
    flagged hibernated
  }
}`,
};

const CheckedSpace = z.object({
  id: z.string(),
  name: z.string().nullish(),
  strategies: z.array(z.unknown()).nullish(),
  flagged: z.boolean().nullish(),
  hibernated: z.boolean().nullish(),
});

/** Checks a DAO on a Snapshot hub, with one request: its name, and whether its strategies use the registry's token. */
export function createHubSpaceChecker(hub: HubAccess): DaoChecker {
  return {
    part: "space",
    async check({ spaceId, name, governor, snapshot }) {
      if (snapshot === "none") return [];
      const object = await askHub(hub, CHECK_QUERY, { id: spaceId });
      if (object === null) return [{ part: "space", status: "missing", detail: "the hub has no such space" }];
      const space = CheckedSpace.safeParse(object);
      if (!space.success || space.data.id !== spaceId) {
        throw pipelineFailure("SOURCE_FAILED", `the hub's answer is not the space ${spaceId}`);
      }
      const checks = [nameCheck(name, upstreamText(space.data.name)), ...markChecks(space.data)];
      if (governor !== undefined) checks.push(strategiesCheck(governor, space.data.strategies ?? []));
      return checks;
    },
  };
}

const MARKS = {
  flagged: "the hub flags it as abuse or spam: it is not scored",
  hibernated: "the hub marked it as hibernated: nobody can propose there",
} as const;

function markChecks(space: z.infer<typeof CheckedSpace>): readonly PartCheck[] {
  const parts = (["flagged", "hibernated"] as const).filter((part) => space[part] === true);
  return parts.map((part) => ({ part, status: "differs", detail: MARKS[part] }));
}

function nameCheck(name: string, there: string | undefined): PartCheck {
  // A space without a name cannot differ.
  if (there === undefined || there === name) return { part: "space", status: "same" };
  return { part: "space", status: "renamed", detail: `the hub calls it ${there}` };
}

/** Strategies have the contract address in different parameters, so the check searches their whole text. */
function strategiesCheck({ token, governor }: GovernorToken, strategies: readonly unknown[]): PartCheck {
  const part = "strategies";
  if (strategies.length === 0) {
    return { part, status: "not-checked", detail: "the hub shows no strategies of the space" };
  }
  const text = JSON.stringify(strategies).toLowerCase();
  const isNamed = [token, governor].some((address) => address !== undefined && text.includes(address));
  if (isNamed) return { part, status: "same" };
  const what = governor === undefined ? `the token ${token}` : `the token ${token} or the governor`;
  return { part, status: "differs", detail: `no strategy of the space names ${what}` };
}
