import { PipelineError } from "../base/pipeline-error.ts";

/** One thing that is wrong with a registry, and where. */
export interface RegistryProblem {
  readonly line: number | undefined;
  readonly message: string;
}

/** One mistake repeated in a thousand lines must not push the rest of what was said off the screen. */
const LISTED_MAX = 50;

/** The error that lists the problems of a registry in the order of its lines, and how many more there are than fit. */
export function registryInvalid(
  fileName: string,
  problems: readonly RegistryProblem[],
  cause?: unknown,
): PipelineError {
  const lines = [...problems]
    .sort((a, b) => (a.line ?? 0) - (b.line ?? 0))
    .map(({ line, message }) => `${fileName}${line === undefined ? "" : `:${line}`}: ${message}`);
  const more = lines.length - LISTED_MAX;
  const listed = more > 0 ? [...lines.slice(0, LISTED_MAX), `… and ${more} more`] : lines;
  return new PipelineError("REGISTRY_INVALID", listed.join("\n"), {
    hint: "Nothing was fetched or published. Correct the registry and run again.",
    cause,
  });
}
