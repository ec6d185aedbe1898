import { RemoteError } from "../../snapshots/remote/remote-error.ts";
import { PipelineError, type PipelineErrorCode } from "../base/pipeline-error.ts";
import { withStore } from "./store-errors.ts";

/** What a refusal of a remote place is to the pipeline, and what the operator can do; complete by type. */
const REFUSALS: Readonly<
  Record<RemoteError["code"], { readonly code: PipelineErrorCode; readonly hint: string }>
> = {
  REMOTE_AWAY: {
    code: "REMOTE_FAILED",
    hint: "Try again: what went over is not sent or fetched a second time.",
  },
  REMOTE_REFUSED: {
    code: "REMOTE_FAILED",
    hint: "Check AWS_ACCESS_KEY_ID, AWS_REGION and what the key may do there (snapshots/REMOTE.md).",
  },
  REMOTE_MISSING: { code: "REMOTE_FAILED", hint: "Check the address; `govdata push TO` publishes there." },
  REMOTE_MOVED: {
    code: "REMOTE_MOVED",
    hint: "Somebody else publishes there. `govdata pull` takes up theirs, and the next publish follows it; or push elsewhere.",
  },
  REMOTE_STALE: {
    code: "REMOTE_FAILED",
    hint: "Somebody may be publishing there now: try again in a moment.",
  },
  REMOTE_INVALID: {
    code: "REMOTE_FAILED",
    hint: "What is published here is as it was. The publisher there should look: `govdata verify`, then push again.",
  },
  REMOTE_ADDRESS: { code: "BAD_OPTION", hint: "As s3://bucket/prefix; only a pull takes https://… too." },
};

/** Runs code that carries versions; its refusals, and those of the store, become errors of the pipeline. */
export async function withRemote<Result>(action: () => Promise<Result>): Promise<Result> {
  try {
    return await withStore(action);
  } catch (error) {
    if (!(error instanceof RemoteError)) throw error;
    const { code, hint } = REFUSALS[error.code];
    throw new PipelineError(code, error.message, { hint, cause: error });
  }
}
