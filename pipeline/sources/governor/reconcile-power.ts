import * as AbiFunction from "ox/AbiFunction";
import type { Hex } from "ox/Hex";
import { type ContractAnswer, decodeAnswer } from "./contract-call.ts";
import { GOVERNOR_LIMITS } from "./limits.ts";
import type { GovernorReading } from "./reading.ts";

const PAST_VOTES = [
  AbiFunction.from("function getPastVotes(address, uint256) view returns (uint256)"),
  AbiFunction.from("function getPriorVotes(address, uint256) view returns (uint256)"),
] as const;

/** A moment at which the contract can be asked: the end of a block, in the contract's own clock. */
export interface PastPoint {
  readonly timepoint: bigint;
  readonly powers: ReadonlyMap<string, bigint>;
}

/**
 * Compares rebuilt power with the contract's own on a sample of accounts: the strongest, and others evenly spread.
 * A difference is counted and reported without a wallet; it fails nothing, for the sample says that, not which events.
 */
export async function reconcilePower(
  reading: GovernorReading,
  { timepoint, powers }: PastPoint,
): Promise<void> {
  const { governor, aggregate, sink } = reading;
  const accounts = sampleOf(powers);
  if (accounts.length === 0) return;
  const file = `eth_call ${governor.chainId} ${governor.token}`;
  for (const item of PAST_VOTES) {
    const calls = accounts.map((account) => ({
      to: governor.token,
      data: AbiFunction.encodeData(item, [account, timepoint]),
    }));
    const answers = await aggregate(calls, "latest");
    const votes = answers.map((answer: ContractAnswer) => decodeAnswer(item, answer));
    if (votes.every((vote) => vote === undefined)) continue;
    const different = accounts.filter((account, index) => votes[index] !== powers.get(account)).length;
    if (different === 0) return;
    sink.reject({
      file,
      line: undefined,
      code: "POWER_NOT_RECONCILED",
      message: `${different} of ${accounts.length} delegates have another power in the contract than in its logs`,
    });
    return;
  }
  sink.reject({
    file,
    line: undefined,
    code: "POWER_NOT_CHECKED",
    message: "the contract answers neither getPastVotes nor getPriorVotes for this block",
  });
}

/** The same accounts for the same powers: half by power, half by address at even distances. */
function sampleOf(powers: ReadonlyMap<string, bigint>): Hex[] {
  const half = Math.ceil(GOVERNOR_LIMITS.reconciledAccounts / 2);
  const byPower = [...powers].sort(([a, one], [b, two]) =>
    one === two ? (a < b ? -1 : 1) : one < two ? 1 : -1,
  );
  const strongest = byPower.slice(0, half);
  const others = byPower
    .slice(half)
    .map(([account]) => account)
    .sort();
  const stride = Math.max(1, Math.ceil(others.length / half));
  const spread = others.filter((_, index) => index % stride === 0);
  return [...strongest.map(([account]) => account), ...spread].map((account): Hex => `0x${account.slice(2)}`);
}
