import { diskTroubleHint } from "../base/disk-trouble.ts";
import { PipelineError } from "../base/pipeline-error.ts";

/** Does something in the home; what the system says against it becomes `PipelineError` HOME_INVALID. */
export function inHome<Result>(homeDirectory: string, action: () => Result): Result {
  try {
    return action();
  } catch (cause) {
    if (cause instanceof PipelineError || !(cause instanceof Error && "code" in cause)) throw cause;
    throw new PipelineError(
      "HOME_INVALID",
      `the home ${homeDirectory} cannot be used (${String(cause.code)})`,
      {
        cause,
        hint:
          diskTroubleHint(String(cause.code)) ??
          "Give --home (GOVDATA_HOME) a folder that you may write to, or a name that is free.",
      },
    );
  }
}
