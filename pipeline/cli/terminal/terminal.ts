import picocolors from "picocolors";
import { isPipelineFailure } from "../../facts/errors.ts";

/** The streams of a command: one for data, the other for everything else. */
export interface Terminal {
  readonly out: (data: string | Uint8Array) => void;
  readonly err: (text: string) => void;
  readonly isErrTerminal: boolean;
  /** Width of stdout if it is a terminal; tables are made to fit. */
  readonly columns?: number | undefined;
  readonly hasColour: boolean;
}

/** How much a command reports while it runs. */
export type Verbosity = "quiet" | "normal" | "verbose";

/** Wraps a terminal so that an unfinished progress line ends before any other output. */
export function tidyTerminal(terminal: Terminal): Terminal {
  let isLineOpen = false;
  const closeLine = (): void => {
    if (isLineOpen) terminal.err("\n");
    isLineOpen = false;
  };
  return {
    ...terminal,
    out(data) {
      closeLine();
      terminal.out(data);
    },
    err(text) {
      const isRewritten = text.startsWith("\r");
      if (!isRewritten) closeLine();
      terminal.err(text);
      isLineOpen = isRewritten && !text.endsWith("\n");
    },
  };
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Formats a failure for people: what happened, and what to do. An unexpected error is one line, without stack. */
export function formatError(error: unknown, terminal: Terminal): string {
  const colours = picocolors.createColors(terminal.hasColour);
  const [code, message, hint] = isPipelineFailure(error)
    ? [error.code, error.message, error.hint]
    : ["UNEXPECTED", textOf(error).replaceAll(/\s*\n\s*/g, " "), "Run again with -v for details to report."];
  const header = `${colours.red("error")} ${code}: ${message}\n`;
  return hint === undefined ? header : `${header}${colours.dim(hint)}\n`;
}

/** The origin of an error for `-v`: its stack, and those of its causes. */
export function formatOrigin(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const stack = error.stack ?? error.message;
  return error.cause === undefined ? stack : `${stack}\ncause: ${formatOrigin(error.cause)}`;
}

/** Whether to colour errors: only on a terminal, and not with `NO_COLOR` or `--no-color`. */
export function wantsColour(input: {
  readonly isTerminal: boolean;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}): boolean {
  const isRefused = (input.environment["NO_COLOR"] ?? "") !== "" || input.argv.includes("--no-color");
  return input.isTerminal && !isRefused;
}
