import type { Rpc } from "../governor/rpc.ts";
import { RpcError } from "../governor/rpc-error.ts";
import type { ContractRead, ReadOutcome } from "./contract-reader.ts";
import type { TroubleCount } from "./trouble-count.ts";

/** One request with many questions; throws where it did not get through as a whole. */
export type AskContracts = (reads: readonly ContractRead[]) => Promise<readonly ReadOutcome[]>;

type AskInHalves = (reads: readonly ContractRead[], request: AskContracts) => Promise<readonly ReadOutcome[]>;

const UNKNOWN: ReadOutcome = { kind: "unknown" };

/**
 * Parts the one question that spoils a request from the others: what fails is asked again in two halves, and of one
 * that fails alone nothing is known. Once there has been enough trouble, nothing is asked any more.
 */
export function createHalving(rpc: Rpc, trouble: TroubleCount): AskInHalves {
  /** Was it the request, or is nobody there any more? */
  async function noteFailure(error: unknown): Promise<void> {
    trouble.add(error);
    if (error instanceof RpcError || trouble.isEnough()) return;
    try {
      await rpc.call("eth_chainId", []);
    } catch (again) {
      trouble.add(again);
      trouble.giveUp("the node went away");
    }
  }

  const askInHalves: AskInHalves = async (reads, request) => {
    if (reads.length === 0 || trouble.isEnough()) return reads.map(() => UNKNOWN);
    try {
      return await request(reads);
    } catch (error) {
      await noteFailure(error);
      if (reads.length === 1) return [UNKNOWN];
      const middle = Math.ceil(reads.length / 2);
      const first = await askInHalves(reads.slice(0, middle), request);
      return [...first, ...(await askInHalves(reads.slice(middle), request))];
    }
  };
  return askInHalves;
}
