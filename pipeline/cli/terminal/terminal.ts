import picocolors from "picocolors";
import { PipelineError } from "../../facts/errors.ts";

/** The streams a command writes to: data on one, everything else on the other. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  /** Data that is no text; absent where stdout is a terminal, which cannot show it. */
  readonly outBytes?: (bytes: Uint8Array) => void;
  readonly isErrTerminal: boolean;
  /** How wide stdout is, where it is a terminal: tables are made to fit. */
  readonly columns?: number | undefined;
  readonly hasColour: boolean;
}

/** How much a command says on the way. */
export type Verbosity = "quiet" | "normal" | "verbose";

/** The same terminal; a line of progress that is still open ends before anything else is said. */
export function tidyTerminal(terminal: Terminal): Terminal {
  let isLineOpen = false;
  const closeLine = (): void => {
    if (isLineOpen) terminal.err("\n");
    isLineOpen = false;
  };
  const { outBytes } = terminal;
  return {
    ...terminal,
    out(text) {
      closeLine();
      terminal.out(text);
    },
    ...(outBytes && {
      outBytes: (bytes) => {
        closeLine();
        outBytes(bytes);
      },
    }),
    err(text) {
      const isRewritten = text.startsWith("\r");
      if (!isRewritten) closeLine();
      terminal.err(text);
      isLineOpen = isRewritten && !text.endsWith("\n");
    },
  };
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** A failure as a person reads it: what, and what to do next. What we did not foresee is one line, without its stack. */
export function formatError(error: unknown, terminal: Terminal): string {
  const colours = picocolors.createColors(terminal.hasColour);
  const [code, message, hint] =
    error instanceof PipelineError
      ? [error.code, error.message, error.hint]
      : [
          "UNEXPECTED",
          textOf(error).replaceAll(/\s*\n\s*/g, " "),
          "Run again with -v for details to report.",
        ];
  const head = `${colours.red("error")} ${code}: ${message}\n`;
  return hint === undefined ? head : `${head}${colours.dim(hint)}\n`;
}

/** Where an error comes from, for `-v`: its stack, and those of its causes. */
export function formatOrigin(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? error.message;
  return error.cause === undefined ? own : `${own}\ncause: ${formatOrigin(error.cause)}`;
}
