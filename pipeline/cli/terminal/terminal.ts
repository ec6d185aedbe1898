import picocolors from "picocolors";
import { printable } from "../../../snapshots/base/plain-text.ts";
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

export type Verbosity = "quiet" | "normal" | "verbose";

/** Begins a progress line that replaces the one before it. */
export const REWRITE = "\r\u001B[2K";

/** Our colours of errors: nothing else that steers a terminal is let through, and these only colour. */
const COLOURS = ["\u001B[2m", "\u001B[22m", "\u001B[31m", "\u001B[39m"];

const printableIn = (text: string, [colour, ...others]: readonly string[]): string =>
  colour === undefined
    ? printable(text)
    : text
        .split(colour)
        .map((piece) => printableIn(piece, others))
        .join(colour);

/**
 * Wraps a terminal so that an unfinished progress line ends before any other output, and that no text from outside
 * steers it: a published version may be forged, and a registry or a hub may name anything.
 */
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
      const isText = typeof data === "string" || terminal.columns !== undefined;
      // A file keeps its bytes on the way to another file.
      terminal.out(isText ? printable(Buffer.from(data).toString("utf8")) : data);
    },
    err(text) {
      const isRewritten = text.startsWith(REWRITE);
      if (!isRewritten) closeLine();
      const plain = printableIn(text.slice(isRewritten ? REWRITE.length : 0), COLOURS);
      terminal.err(isRewritten ? `${REWRITE}${plain}` : plain);
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
