import picocolors from "picocolors";
import type { PipelineError } from "../base/pipeline-error.ts";
import type { Progress } from "../run/effects.ts";

/** The streams a command writes to: data on one, everything else on the other. */
export interface Terminal {
  readonly out: (text: string) => void;
  readonly err: (text: string) => void;
  readonly isErrTerminal: boolean;
  readonly hasColour: boolean;
}

/** How much a command says on the way. */
export type Verbosity = "quiet" | "normal" | "verbose";

/** One line that is rewritten on a terminal; one line a DAO elsewhere, so that a cron mail can be read. */
export function createProgress(terminal: Terminal, verbosity: Verbosity): Progress & { end(): void } {
  let isLineOpen = false;
  const closeLine = (): void => {
    if (isLineOpen) terminal.err("\n");
    isLineOpen = false;
  };
  return {
    step(stage, done, total, spaceId, detail) {
      if (verbosity === "quiet") return;
      const line = `${stage} ${done}/${total} ${spaceId}: ${detail}`;
      if (!terminal.isErrTerminal || verbosity === "verbose") {
        terminal.err(`${line}\n`);
        return;
      }
      terminal.err(`\r\u001B[2K${line.slice(0, 79)}`);
      isLineOpen = true;
      if (done === total) closeLine();
    },
    warn(message) {
      closeLine();
      terminal.err(`warning: ${message}\n`);
    },
    end: closeLine,
  };
}

/** An expected failure as a person reads it: what, and what to do next. */
export function formatError(error: PipelineError, terminal: Terminal): string {
  const colours = picocolors.createColors(terminal.hasColour);
  const head = `${colours.red("error")} ${error.code}: ${error.message}\n`;
  return error.hint === undefined ? head : `${head}${colours.dim(error.hint)}\n`;
}
