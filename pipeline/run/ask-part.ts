import { PipelineError } from "../base/pipeline-error.ts";
import { RpcError } from "../sources/governor/rpc-error.ts";
import type { CheckedPart, PartCheck } from "./check-daos.ts";

/** What came of asking for a part. */
export type AskedPart = Omit<PartCheck, "part">;

/** Asks a node for one part; where it refuses or is away, that is what is said of the part. The node's own words are not. */
export async function askPart(part: CheckedPart, ask: () => Promise<AskedPart>): Promise<PartCheck> {
  try {
    return { part, ...(await ask()) };
  } catch (error) {
    const isExpected = error instanceof PipelineError && error.code !== "INTERRUPTED";
    if (!isExpected && !(error instanceof RpcError)) throw error;
    return { part, status: "failed", detail: error.message };
  }
}
