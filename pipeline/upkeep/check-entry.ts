import * as AbiFunction from "ox/AbiFunction";
import { z } from "zod";
import { isPipelineFailure, sourceFailed } from "../facts/errors.ts";
import { type ChainSpace, type GovernorToken, ONCHAIN_SUFFIX, type TrackedDao } from "../facts/tracked.ts";
import { upstreamText } from "../facts/upstream-text.ts";
import { callContracts, decodeAnswer, filledHex, readClock } from "../sources/governor/contract-calls.ts";
import { hexQuantity, isRpcRefusal, parseQuantity, type Rpc } from "../sources/governor/rpc.ts";
import type { GraphqlClient } from "../sources/graphql/graphql-client.ts";
import type { GraphqlQuery } from "../sources/graphql/read-answer.ts";
import {
  type ApiAccess,
  openApi,
  readSpace,
  settledBlock,
  spelled,
} from "../sources/snapshot-api/open-api.ts";

type HubPart = "space" | "flagged" | "hibernated" | "strategies";
type TokenPart = "token" | "first-block" | "decimals" | "kind" | "clock";

export interface PartCheck {
  readonly part: HubPart | "onchain" | "chain" | TokenPart | "governor" | "governor-token";
  /** `renamed` is no fault: the registry's name is the published one; `not-checked` has its reason in `detail`. */
  readonly status: "same" | "renamed" | "differs" | "missing" | "failed" | "not-checked";
  /** For people: the actual value, or why the check failed. */
  readonly detail?: string;
}

type Result = Omit<PartCheck, "part">;

const SAME: Result = { status: "same" };
const differs = (detail: string): Result => ({ status: "differs", detail });
const missing = (detail: string): Result => ({ status: "missing", detail });
const notChecked = (detail: string): Result => ({ status: "not-checked", detail });

const compare = (registered: string | number, actual: string | number): Result =>
  registered === actual ? SAME : differs(`the registry has ${registered}, the token ${actual}`);

/** Compares one part; a refusal or an unreachable source becomes its result, without the source's own text. */
async function checkPart(part: PartCheck["part"], read: () => Promise<Result>): Promise<PartCheck> {
  try {
    return { part, ...(await read()) };
  } catch (error) {
    return failedPart(part, error);
  }
}

function failedPart(part: PartCheck["part"], error: unknown): PartCheck {
  const isExpected = isPipelineFailure(error) && error.code !== "INTERRUPTED";
  if (!isExpected && !isRpcRefusal(error)) throw error;
  const isMissing = isExpected && error.data?.isMissing === true;
  return { part, status: isMissing ? "missing" : "failed", detail: error.message };
}

const SPACE_QUERY: GraphqlQuery = {
  name: "Space",
  field: "space",
  parameters: { id: "String!" },
  selection: "id name strategies { name network params } flagged hibernated",
};

const Space = z.object({
  id: z.string(),
  name: z.string().nullish(),
  strategies: z.array(z.unknown()).nullish(),
  flagged: z.boolean().nullish(),
  hibernated: z.boolean().nullish(),
});

const MARKS = {
  flagged: "the hub flags it as abuse or spam: it is not scored",
  hibernated: "the hub marked it as hibernated: nobody can propose there",
} as const;

/** Compares a DAO with a Snapshot hub, in one request: its name, marks, and whether its strategies use its token. */
export async function checkSpace(hub: GraphqlClient, dao: TrackedDao): Promise<readonly PartCheck[]> {
  const { spaceId, name, governor, snapshot } = dao;
  if (snapshot === "none") return [];
  try {
    const { value } = await hub.ask(SPACE_QUERY, { id: spaceId });
    if (value === null) return [{ part: "space", ...missing("the hub has no such space") }];
    const space = Space.safeParse(value).data;
    if (space?.id !== spaceId) throw sourceFailed(`the hub's answer is not the space ${spaceId}`);
    const hubName = upstreamText(space.name) ?? name;
    const marks = (["flagged", "hibernated"] as const).filter((mark) => space[mark] === true);
    return [
      { part: "space", ...compareNames(name, hubName, "the hub") },
      ...marks.map((part) => ({ part, ...differs(MARKS[part]) })),
      ...(governor === undefined ? [] : [checkStrategies(governor, space.strategies ?? [])]),
    ];
  } catch (error) {
    return [failedPart("space", error)];
  }
}

function compareNames(registered: string, actual: string, service: string): Result {
  return registered === actual ? SAME : { status: "renamed", detail: `${service} calls it ${actual}` };
}

/** Compares a DAO's space of the on-chain API: whether it is there and can be read, and its name. */
export function checkOnchain(
  access: ApiAccess,
  name: string,
  { indexer, space }: ChainSpace,
): Promise<PartCheck> {
  return checkPart("onchain", async () => {
    const api = openApi(access, indexer);
    const { metadata } = await readSpace(api, spelled(space), await settledBlock(api, undefined));
    const registered = name.endsWith(ONCHAIN_SUFFIX) ? name.slice(0, -ONCHAIN_SUFFIX.length) : name;
    return compareNames(registered, upstreamText(metadata?.name) ?? registered, "the on-chain API");
  });
}

/** Strategies have the contract address in different parameters, so the check searches their whole text. */
function checkStrategies({ token, governor }: GovernorToken, strategies: readonly unknown[]): PartCheck {
  const part = "strategies";
  if (strategies.length === 0) return { part, ...notChecked("the hub shows no strategies of the space") };
  const text = JSON.stringify(strategies).toLowerCase();
  if ([token, governor].some((address) => address !== undefined && text.includes(address))) {
    return { part, ...SAME };
  }
  const either = governor === undefined ? "" : " or the governor";
  return { part, ...differs(`no strategy of the space names the token ${token}${either}`) };
}

export function checkChain(rpc: Rpc | undefined, chainId: number): Promise<PartCheck> {
  return checkPart("chain", async () => {
    if (rpc === undefined) return notChecked(`no node is configured (GOVDATA_RPC_${chainId})`);
    const served = parseQuantity(await rpc.call("eth_chainId", []), "chain id");
    return served === chainId ? SAME : differs(`the node serves chain ${served}`);
  });
}

export async function checkContracts(
  rpc: Rpc | undefined,
  entry: GovernorToken,
): Promise<readonly PartCheck[]> {
  const { chainId, governor } = entry;
  const chain = await checkChain(rpc, chainId);
  // Contracts at these addresses on another chain are not comparable.
  if (rpc === undefined || chain.status !== "same") return [chain];
  const checks = [chain, await checkPart("token", () => checkCode(rpc, entry.token, chainId))];
  if (checks[1]?.status === "same") {
    for (const [part, check] of TOKEN_CHECKS) checks.push(await checkPart(part, () => check(rpc, entry)));
  }
  if (governor === undefined) return checks;
  const code = await checkPart("governor", () => checkCode(rpc, governor, chainId));
  if (code.status !== "same") return [...checks, code];
  const token = await checkPart("governor-token", () => checkGovernorToken(rpc, governor, entry.token));
  return [...checks, code, token];
}

async function checkCode(rpc: Rpc, address: string, chainId: number): Promise<Result> {
  const code = filledHex(await rpc.call("eth_getCode", [address, "latest"]));
  return code === undefined ? missing(`there is no contract at ${address} on chain ${chainId}`) : SAME;
}

type TokenCheck = (rpc: Rpc, entry: GovernorToken) => Promise<Result>;

const TOKEN_CHECKS: readonly (readonly [TokenPart, TokenCheck])[] = [
  ["first-block", checkFirstBlock],
  ["decimals", checkDecimals],
  ["kind", checkKind],
  ["clock", async (rpc, { token, chainId, clock }) => compare(clock, await readClock(rpc, token, chainId))],
];

/** Logs before the first block would be lost, so there must be no code before it. */
async function checkFirstBlock(rpc: Rpc, { token, firstBlock }: GovernorToken): Promise<Result> {
  const head = parseQuantity(await rpc.call("eth_blockNumber", []), "block number");
  if (firstBlock > head) return differs(`the registry has ${firstBlock}, but the newest block is ${head}`);
  if (firstBlock === 0) return SAME;
  const before = firstBlock - 1;
  const [outcome] = await rpc.callMany([{ method: "eth_getCode", params: [token, hexQuantity(before)] }]);
  if (outcome?.kind !== "result") return notChecked(`the node cannot report the code at block ${before}`);
  const code = filledHex(outcome.result);
  return code === undefined ? SAME : differs(`the token already existed at block ${before}`);
}

const DECIMALS = AbiFunction.from("function decimals() view returns (uint8)");

async function checkDecimals(rpc: Rpc, { token, kind, decimals }: GovernorToken): Promise<Result> {
  const [answer] = await callLatest(rpc, token, [AbiFunction.encodeData(DECIMALS)]);
  const actual = decodeAnswer(DECIMALS, answer);
  if (kind !== "erc721votes") {
    return actual === undefined ? missing("the token has no decimals()") : compare(decimals, actual);
  }
  if (actual !== undefined) return differs(`an ERC-721 has no decimals, the token has ${actual}`);
  return decimals === 0 ? SAME : differs(`the registry has ${decimals}, but an ERC-721 has none (0)`);
}

const SUPPORTS = AbiFunction.from("function supportsInterface(bytes4) view returns (bool)");
const VOTES = [
  AbiFunction.from("function getVotes(address) view returns (uint256)"),
  AbiFunction.from("function getCurrentVotes(address) view returns (uint96)"),
] as const;
const ERC721 = "0x80ac58cd";
/** An address without votes in any token, for testing whether votes can be queried. */
const SOMEBODY = "0x000000000000000000000000000000000000dEaD";

async function checkKind(rpc: Rpc, { token, kind }: GovernorToken): Promise<Result> {
  const [supports, ...votes] = await callLatest(rpc, token, [
    AbiFunction.encodeData(SUPPORTS, [ERC721]),
    ...VOTES.map((item) => AbiFunction.encodeData(item, [SOMEBODY])),
  ]);
  if (!VOTES.some((item, index) => decodeAnswer(item, votes[index]) !== undefined)) {
    return missing("the token supports neither getVotes nor getCurrentVotes");
  }
  return compare(kind, decodeAnswer(SUPPORTS, supports) === true ? "erc721votes" : "erc20votes");
}

const TOKEN = AbiFunction.from("function token() view returns (address)");

async function checkGovernorToken(rpc: Rpc, governor: string, token: string): Promise<Result> {
  const [answer] = await callLatest(rpc, governor, [AbiFunction.encodeData(TOKEN)]);
  const actual = decodeAnswer(TOKEN, answer)?.toLowerCase();
  if (actual === undefined) return notChecked("the governor has no token(), like many older ones");
  return actual === token ? SAME : differs(`the governor counts the votes of ${actual}`);
}

function callLatest(rpc: Rpc, to: string, calls: readonly `0x${string}`[]): ReturnType<typeof callContracts> {
  const requests = calls.map((data) => ({ to, data }));
  return callContracts(rpc, requests);
}
