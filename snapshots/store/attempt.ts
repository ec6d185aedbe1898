import { SnapshotError } from "./snapshot-error.ts";

/** Does one step of publishing; what the system says against it becomes `PUBLISH_FAILED` with the step's name. */
export async function attempt<Result>(step: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SnapshotError) throw error;
    if (!(error instanceof Error && "code" in error)) throw error;
    throw new SnapshotError("PUBLISH_FAILED", `could not ${step} (${String(error.code)})`, { cause: error });
  }
}
