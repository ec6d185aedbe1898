import { PipelineError } from "../../base/pipeline-error.ts";
import { RpcError } from "../governor/rpc-error.ts";

/** Requests that may get no answer: parting the one bad from a hundred costs eight, and each may last minutes. */
const FAULTS_MAX = 10;

/** Requests that a node may refuse: parting a resolver that burns all gas costs seven or so, and many are borne. */
const REFUSALS_MAX = 200;

/** What went wrong on the way to one node, and when it has been enough. */
export interface TroubleCount {
  /** Takes note of one more; an interrupt is no trouble of the node's and is thrown on. */
  add(error: unknown): void;
  /** Nothing more is asked, whatever was left. */
  giveUp(reason: string): void;
  isEnough(): boolean;
  /** Fit to be shown: it holds nothing that a node said. */
  first(): string | undefined;
}

/** Starts the count for one run. */
export function createTroubleCount(): TroubleCount {
  const left = { faults: FAULTS_MAX, refusals: REFUSALS_MAX };
  let isGivenUp = false;
  let first: string | undefined;
  return {
    add(error) {
      if (error instanceof PipelineError && error.code === "INTERRUPTED") throw error;
      left[error instanceof RpcError ? "refusals" : "faults"] -= 1;
      first ??= reasonOf(error);
    },
    giveUp(reason) {
      isGivenUp = true;
      first ??= reason;
    },
    isEnough: () => isGivenUp || left.faults <= 0 || left.refusals <= 0,
    first: () => first,
  };
}

function reasonOf(error: unknown): string {
  const isOurs = error instanceof PipelineError || error instanceof RpcError;
  return isOurs ? error.message : "asking the node broke off for a reason we did not foresee";
}
