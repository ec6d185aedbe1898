import type { CompletedPlace } from "./completed-commands.ts";

/** A program as its completion script needs it. */
export interface CompletedProgram {
  readonly name: string;
  readonly places: readonly CompletedPlace[];
  /** The command line that printed the script, but for the shell. */
  readonly madeBy: string;
}

/** The beginning of the names of a program's functions: shells take no dash there. */
export function functionName({ name }: CompletedProgram): string {
  return name.replaceAll("-", "_");
}
