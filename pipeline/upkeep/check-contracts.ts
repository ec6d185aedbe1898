import * as AbiFunction from "ox/AbiFunction";
import type { GovernorToken } from "../facts/delegation.ts";
import { isPipelineFailure } from "../facts/errors.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import { callContracts, decodeAnswer, filledHex, readClock } from "../sources/governor/contract-calls.ts";
import { hexQuantity, isRpcRefusal, parseQuantity, type Rpc } from "../sources/governor/rpc.ts";

/** The comparison of one part of a DAO's entry with the live source. */
export interface PartCheck {
  readonly part:
    | "space"
    | "flagged"
    | "hibernated"
    | "strategies"
    | "chain"
    | "token"
    | "first-block"
    | "decimals"
    | "kind"
    | "clock"
    | "governor"
    | "governor-token";
  /** `renamed` is no fault: the registry's name is the published one; `not-checked` has its reason in `detail`. */
  readonly status: "same" | "renamed" | "differs" | "missing" | "failed" | "not-checked";
  /** For people: the actual value, or why the check failed. */
  readonly detail?: string;
}

/** Checks DAOs of the registry against one live source. */
export interface DaoChecker {
  /** The part to report as failed if the source cannot be queried. */
  readonly part: PartCheck["part"];
  /** No rows for a DAO without data in this source. Throws `PipelineFailure` if the source cannot be queried. */
  check(dao: TrackedDao): Promise<readonly PartCheck[]>;
}

/** Compares a DAO's token and governor with the contracts on their chain. */
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
      const chain = await askPart("chain", () => chainCheck(rpc, chainId));
      // Contracts at these addresses on another chain are not comparable.
      if (chain.status !== "same") return [chain];
      return [chain, ...(await checkToken(rpc, governor)), ...(await checkGovernor(rpc, governor))];
    },
  };
}

type CheckedPart = Omit<PartCheck, "part">;

const SAME: CheckedPart = { status: "same" };
const differs = (detail: string): CheckedPart => ({ status: "differs", detail });

/** Checks one part; a refusal or an unreachable node becomes its result, without the node's own text. */
async function askPart(part: PartCheck["part"], ask: () => Promise<CheckedPart>): Promise<PartCheck> {
  try {
    return { part, ...(await ask()) };
  } catch (error) {
    const isExpected = isPipelineFailure(error) && error.code !== "INTERRUPTED";
    if (!isExpected && !isRpcRefusal(error)) throw error;
    return { part, status: "failed", detail: error.message };
  }
}

const DECIMALS = AbiFunction.from("function decimals() view returns (uint8)");
const SUPPORTS = AbiFunction.from("function supportsInterface(bytes4) view returns (bool)");
const VOTES = [
  AbiFunction.from("function getVotes(address) view returns (uint256)"),
  AbiFunction.from("function getCurrentVotes(address) view returns (uint96)"),
] as const;
const ERC721 = "0x80ac58cd";
/** An address without votes in any token, for testing whether votes can be queried. */
const SOMEBODY = "0x000000000000000000000000000000000000dEaD";

async function checkToken(rpc: Rpc, token: GovernorToken): Promise<readonly PartCheck[]> {
  const code = await askPart("token", () => codeCheck(rpc, token.token, token.chainId));
  if (code.status !== "same") return [code];
  return [
    code,
    await askPart("first-block", () => firstBlockCheck(rpc, token)),
    await askPart("decimals", () => decimalsCheck(rpc, token)),
    await askPart("kind", () => kindCheck(rpc, token)),
    await askPart("clock", () => clockCheck(rpc, token)),
  ];
}

async function codeCheck(rpc: Rpc, address: string, chainId: number): Promise<CheckedPart> {
  const code = filledHex(await rpc.call("eth_getCode", [address, "latest"]));
  if (code !== undefined) return SAME;
  return { status: "missing", detail: `there is no contract at ${address} on chain ${chainId}` };
}

/** Logs before the first block would be lost, so there must be no code before it. */
async function firstBlockCheck(rpc: Rpc, { token, firstBlock }: GovernorToken): Promise<CheckedPart> {
  const head = parseQuantity(await rpc.call("eth_blockNumber", []), "block number");
  if (firstBlock > head) {
    return differs(`the registry has ${firstBlock}, but the newest block is ${head}`);
  }
  if (firstBlock === 0) return SAME;
  const before = firstBlock - 1;
  const [outcome] = await rpc.callMany([{ method: "eth_getCode", params: [token, hexQuantity(before)] }]);
  if (outcome?.kind !== "result") {
    return { status: "not-checked", detail: `the node cannot report the code at block ${before}` };
  }
  if (filledHex(outcome.result) === undefined) return SAME;
  return differs(`the token already existed at block ${before}`);
}

async function decimalsCheck(rpc: Rpc, { token, kind, decimals }: GovernorToken): Promise<CheckedPart> {
  const [answer] = await callLatest(rpc, token, [AbiFunction.encodeData(DECIMALS)]);
  const there = decodeAnswer(DECIMALS, answer);
  if (kind === "erc721votes") {
    if (there !== undefined) return differs(`an ERC-721 has no decimals, the token has ${there}`);
    if (decimals === 0) return SAME;
    return differs(`the registry has ${decimals}, but an ERC-721 has none (0)`);
  }
  if (there === undefined) return { status: "missing", detail: "the token has no decimals()" };
  if (there === decimals) return SAME;
  return differs(`the registry has ${decimals}, the token ${there}`);
}

function callLatest(rpc: Rpc, to: string, calls: readonly `0x${string}`[]): ReturnType<typeof callContracts> {
  return callContracts(
    rpc,
    calls.map((data) => ({ to, data })),
    "latest",
  );
}

async function kindCheck(rpc: Rpc, { token, kind }: GovernorToken): Promise<CheckedPart> {
  const calls = [
    AbiFunction.encodeData(SUPPORTS, [ERC721]),
    ...VOTES.map((item) => AbiFunction.encodeData(item, [SOMEBODY])),
  ];
  const [supports, ...votes] = await callLatest(rpc, token, calls);
  if (!VOTES.some((item, index) => decodeAnswer(item, votes[index]) !== undefined)) {
    return { status: "missing", detail: "the token supports neither getVotes nor getCurrentVotes" };
  }
  const there = decodeAnswer(SUPPORTS, supports) === true ? "erc721votes" : "erc20votes";
  if (there === kind) return SAME;
  return differs(`the registry has ${kind}, the token is ${there}`);
}

async function clockCheck(rpc: Rpc, { token, chainId, clock }: GovernorToken): Promise<CheckedPart> {
  const there = await readClock(rpc, token, chainId);
  if (there === clock) return SAME;
  return differs(`the registry has ${clock}, the token ${there}`);
}

const TOKEN_OF = AbiFunction.from("function token() view returns (address)");

async function chainCheck(rpc: Rpc, chainId: number): Promise<CheckedPart> {
  const served = parseQuantity(await rpc.call("eth_chainId", []), "chain id");
  if (served === chainId) return SAME;
  return differs(`the node serves chain ${served}; nothing else was checked`);
}

async function checkGovernor(
  rpc: Rpc,
  { governor, token, chainId }: GovernorToken,
): Promise<readonly PartCheck[]> {
  if (governor === undefined) return [];
  const code = await askPart("governor", () => codeCheck(rpc, governor, chainId));
  if (code.status !== "same") return [code];
  return [code, await askPart("governor-token", () => governorTokenCheck(rpc, governor, token))];
}

async function governorTokenCheck(rpc: Rpc, governor: string, token: string): Promise<CheckedPart> {
  const [answer] = await callLatest(rpc, governor, [AbiFunction.encodeData(TOKEN_OF)]);
  const there = decodeAnswer(TOKEN_OF, answer)?.toLowerCase();
  if (there === undefined) {
    return { status: "not-checked", detail: "the governor has no token(), like many older ones" };
  }
  if (there === token) return SAME;
  return differs(`the governor counts the votes of ${there}`);
}
