import { isAbsolute, relative, resolve, sep } from "node:path";
import { PipelineError } from "../base/pipeline-error.ts";
import type { Output } from "../run/export.ts";
import type { CommandContext } from "./command-context.ts";

/** What `-o` and `--force` said. */
export interface OutputFlags {
  readonly output?: string;
  readonly force?: boolean;
}

/** The file that `-o` names; `undefined` for stdout. Throws `PipelineError` BAD_OPTION for one nobody can have meant. */
export function outputFile(
  { settings, effects }: CommandContext,
  { output, force }: OutputFlags,
): Extract<Output, { readonly path: string }> | undefined {
  if (output === undefined) return undefined;
  if (output === "") throw new PipelineError("BAD_OPTION", "--output must name a file");
  const way = relative(resolve(settings.snapshotsDirectory), resolve(output));
  if (!isAbsolute(way) && way.split(sep)[0] !== "..") {
    throw new PipelineError("BAD_OPTION", "--output must not lie in the folder of --snapshots", {
      hint: "A file that no manifest names makes a version unsound.",
    });
  }
  return { path: output, isForced: force === true, runId: effects.runId };
}
