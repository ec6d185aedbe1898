import { isRevert } from "../governor/is-revert.ts";
import { hexQuantity } from "../governor/quantity.ts";
import type { Rpc, RpcCall, RpcOutcome } from "../governor/rpc.ts";
import type { RpcError } from "../governor/rpc-error.ts";
import type { ContractRead, ReadOutcome } from "./contract-reader.ts";

/**
 * What one contract may use up. Asking ENS costs some 50,000; ten times as much is left to a resolver with ideas of its
 * own. It also bounds answers: memory costs gas, and this buys less than half a megabyte.
 */
const READ_GAS = 500_000;

/** `0x` and twice the bytes of the longest answer that is looked at; the longest name fits in a dozen times. */
const ANSWER_DIGITS_MAX = 2 + 2 * 4096;

/** A call of one contract, at the latest block: names are as of now. */
export function ethCall({ to, data }: ContractRead, gas: number): RpcCall {
  return { method: "eth_call", params: [{ to, data, gas: hexQuantity(gas) }, "latest"] };
}

/** Asks contracts one call each, in one request where the node takes batches. Throws where no request got through. */
export async function readSingly(
  rpc: Rpc,
  reads: readonly ContractRead[],
): Promise<{ readonly outcomes: readonly ReadOutcome[]; readonly refusal: RpcError | undefined }> {
  const said = await rpc.callMany(reads.map((read) => ethCall(read, READ_GAS)));
  const refusals = said.flatMap((one) => (one.kind === "refused" && !isRevert(one.error) ? [one.error] : []));
  return { outcomes: said.map(outcomeOf), refusal: refusals[0] };
}

function outcomeOf(said: RpcOutcome): ReadOutcome {
  if (said.kind === "result") return answerOutcome(said.result);
  // CCIP-Read's `OffchainLookup` is a revert too, and is never followed: it names an address that an attacker chose.
  return isRevert(said.error) ? { kind: "refused" } : { kind: "unknown" };
}

/** An answer as it may be kept: what is no hex, empty or far longer than any name is none. */
export function answerOutcome(result: unknown): ReadOutcome {
  if (typeof result !== "string" || result.length > ANSWER_DIGITS_MAX) return { kind: "refused" };
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(result)) return { kind: "refused" };
  return { kind: "answer", data: `0x${result.slice(2)}` };
}
