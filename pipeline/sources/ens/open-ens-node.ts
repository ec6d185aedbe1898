import { parseQuantity } from "../governor/quantity.ts";
import type { Rpc, RpcOutcome } from "../governor/rpc.ts";
import { aggregateCall, decodeAggregate } from "./aggregate-reads.ts";
import { askRegistry } from "./ens-contracts.ts";
import { answerOutcome, ethCall } from "./single-reads.ts";

/** A question with a known shape of answer, for finding out who is there. */
const TRIAL = askRegistry("eth");
const TRIAL_GAS = 500_000;

/** Whether names can be asked through a node, and whether many at once. */
export type EnsNode =
  | { readonly kind: "open"; readonly hasMulticall: boolean }
  | { readonly kind: "unfit"; readonly reason: string };

/**
 * Looks at a node before it is believed: a test network has a registry at the same address, in which anybody may take
 * any name. Throws where the node does not answer.
 */
export async function openEnsNode(rpc: Rpc, chainId: number): Promise<EnsNode> {
  const [chain, direct, together] = await rpc.callMany([
    { method: "eth_chainId", params: [] },
    ethCall(TRIAL, TRIAL_GAS),
    aggregateCall([TRIAL]),
  ]);
  const served = parseQuantity(resultOf(chain), "chain id");
  if (served !== chainId) {
    return {
      kind: "unfit",
      reason: `the node serves chain ${served}, and names are asked on chain ${chainId}`,
    };
  }
  const plain = answerOutcome(resultOf(direct));
  if (plain.kind !== "answer") return { kind: "unfit", reason: `there is no ENS on chain ${chainId}` };
  // Anything may stand at Multicall3's address; it is believed once it says what the registry says itself.
  const aggregated = decodeAggregate(resultOf(together), 1)?.[0];
  const hasMulticall = aggregated?.success === true && aggregated.returnData === plain.data;
  return { kind: "open", hasMulticall };
}

function resultOf(outcome: RpcOutcome | undefined): unknown {
  return outcome?.kind === "result" ? outcome.result : undefined;
}
