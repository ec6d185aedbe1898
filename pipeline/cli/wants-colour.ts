/** Whether errors are coloured: on a terminal only, and not where `NO_COLOR` is set to anything or `--no-color` was said. */
export function wantsColour(input: {
  readonly isTerminal: boolean;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}): boolean {
  const isRefused = (input.environment["NO_COLOR"] ?? "") !== "" || input.argv.includes("--no-color");
  return input.isTerminal && !isRefused;
}
