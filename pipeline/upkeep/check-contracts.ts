import * as AbiFunction from "ox/AbiFunction";
import type { GovernorToken } from "../facts/delegation.ts";
import { PipelineError } from "../facts/errors.ts";
import type { TrackedDao } from "../facts/tracked.ts";
import { callContracts, decodeAnswer, filledHex, readClock } from "../sources/governor/contract-calls.ts";
import { hexQuantity, parseQuantity, type Rpc, RpcError } from "../sources/governor/rpc.ts";

/** One comparison of a part of a DAO's entry with the live source. */
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
  /** `renamed` is no fault, for the registry's name is the one we publish; `not-checked` says why nobody could know. */
  readonly status: "same" | "renamed" | "differs" | "missing" | "failed" | "not-checked";
  /** What is there instead, or why it could not be asked, for people. */
  readonly detail?: string;
}

/** Asks one live source about a DAO of the registry. */
export interface DaoChecker {
  /** What has failed where the source cannot be asked at all. */
  readonly part: PartCheck["part"];
  /** Nothing for a DAO that it has no part in. Throws `PipelineError` where the source cannot be asked. */
  check(dao: TrackedDao): Promise<readonly PartCheck[]>;
}

/** Compares the token and the governor of a DAO's entry with the contracts on their chain. */
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
      // What another chain has at these addresses is nothing to compare with.
      if (chain.status !== "same") return [chain];
      return [chain, ...(await checkToken(rpc, governor)), ...(await checkGovernor(rpc, governor))];
    },
  };
}

type AskedPart = Omit<PartCheck, "part">;

/** Asks a node for one part; where it refuses or is away, that is what is said of the part. The node's own words are not. */
async function askPart(part: PartCheck["part"], ask: () => Promise<AskedPart>): Promise<PartCheck> {
  try {
    return { part, ...(await ask()) };
  } catch (error) {
    const isExpected = error instanceof PipelineError && error.code !== "INTERRUPTED";
    if (!isExpected && !(error instanceof RpcError)) throw error;
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
/** Has no votes of its own in any token, so that asking for them tells whether they can be asked for. */
const SOMEBODY = "0x000000000000000000000000000000000000dEaD";

/** Compares a registry's token with the contract on its chain; a contract that is not there is the only row. */
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

async function codeCheck(rpc: Rpc, address: string, chainId: number): Promise<AskedPart> {
  const code = filledHex(await rpc.call("eth_getCode", [address, "latest"]));
  if (code !== undefined) return { status: "same" };
  return { status: "missing", detail: `there is no contract at ${address} on chain ${chainId}` };
}

/** What was logged before the first block would be lost, so that no code may have been there before it. */
async function firstBlockCheck(rpc: Rpc, { token, firstBlock }: GovernorToken): Promise<AskedPart> {
  const head = parseQuantity(await rpc.call("eth_blockNumber", []), "block number");
  if (firstBlock > head) {
    return { status: "differs", detail: `the registry says ${firstBlock}, and the newest block is ${head}` };
  }
  if (firstBlock === 0) return { status: "same" };
  const before = firstBlock - 1;
  const [outcome] = await rpc.callMany([{ method: "eth_getCode", params: [token, hexQuantity(before)] }]);
  if (outcome?.kind !== "result") {
    return { status: "not-checked", detail: `the node does not tell what was there at block ${before}` };
  }
  if (filledHex(outcome.result) === undefined) return { status: "same" };
  return { status: "differs", detail: `the token was there at block ${before} already` };
}

async function decimalsCheck(rpc: Rpc, { token, kind, decimals }: GovernorToken): Promise<AskedPart> {
  const [answer] = await callLatest(rpc, token, [AbiFunction.encodeData(DECIMALS)]);
  const there = decodeAnswer(DECIMALS, answer);
  if (kind === "erc721votes") {
    if (there !== undefined)
      return { status: "differs", detail: `an ERC-721 has none, the token says ${there}` };
    if (decimals === 0) return { status: "same" };
    return { status: "differs", detail: `the registry says ${decimals}, and an ERC-721 has none (0)` };
  }
  if (there === undefined) return { status: "missing", detail: "the token has no decimals()" };
  if (there === decimals) return { status: "same" };
  return { status: "differs", detail: `the registry says ${decimals}, the token ${there}` };
}

function callLatest(rpc: Rpc, to: string, calls: readonly `0x${string}`[]): ReturnType<typeof callContracts> {
  return callContracts(
    rpc,
    calls.map((data) => ({ to, data })),
    "latest",
  );
}

async function kindCheck(rpc: Rpc, { token, kind }: GovernorToken): Promise<AskedPart> {
  const calls = [
    AbiFunction.encodeData(SUPPORTS, [ERC721]),
    ...VOTES.map((item) => AbiFunction.encodeData(item, [SOMEBODY])),
  ];
  const [supports, ...votes] = await callLatest(rpc, token, calls);
  if (!VOTES.some((item, index) => decodeAnswer(item, votes[index]) !== undefined)) {
    return { status: "missing", detail: "the token answers neither getVotes nor getCurrentVotes" };
  }
  const there = decodeAnswer(SUPPORTS, supports) === true ? "erc721votes" : "erc20votes";
  if (there === kind) return { status: "same" };
  return { status: "differs", detail: `the registry says ${kind}, the token is ${there}` };
}

async function clockCheck(rpc: Rpc, { token, chainId, clock }: GovernorToken): Promise<AskedPart> {
  const there = await readClock(rpc, token, chainId);
  if (there === clock) return { status: "same" };
  return { status: "differs", detail: `the registry says ${clock}, the token ${there}` };
}

const TOKEN_OF = AbiFunction.from("function token() view returns (address)");

async function chainCheck(rpc: Rpc, chainId: number): Promise<AskedPart> {
  const served = parseQuantity(await rpc.call("eth_chainId", []), "chain id");
  if (served === chainId) return { status: "same" };
  return { status: "differs", detail: `the node serves chain ${served}; nothing else was asked` };
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

async function governorTokenCheck(rpc: Rpc, governor: string, token: string): Promise<AskedPart> {
  const [answer] = await callLatest(rpc, governor, [AbiFunction.encodeData(TOKEN_OF)]);
  const there = decodeAnswer(TOKEN_OF, answer)?.toLowerCase();
  if (there === undefined) {
    return { status: "not-checked", detail: "the governor has no token(), as many older ones" };
  }
  if (there === token) return { status: "same" };
  return { status: "differs", detail: `the governor counts the votes of ${there}` };
}
