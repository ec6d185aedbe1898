import { PipelineError } from "../base/pipeline-error.ts";

/** One thing that is wrong with a registry, and where. */
export interface RegistryProblem {
  readonly line: number | undefined;
  readonly message: string;
}

/** The error that lists every problem of a registry, in the order of its lines. */
export function registryInvalid(
  fileName: string,
  problems: readonly RegistryProblem[],
  cause?: unknown,
): PipelineError {
  const lines = [...problems]
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    .map(({ line, message }) => `${fileName}${line === undefined ? "" : `:${line}`}: ${message}`);
  return new PipelineError("REGISTRY_INVALID", lines.join("\n"), {
    hint: "Nothing was fetched or published. Correct the registry and run again.",
    cause,
  });
}
