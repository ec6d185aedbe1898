import type { Terminal } from "../../../pipeline/cli/terminal/terminal.ts";

/** A terminal that remembers, marking what went to stdout. */
export function fakeTerminal(isErrTerminal: boolean): Terminal & { said(): string } {
  let all = "";
  return {
    out: (text) => {
      all += `<${text}>`;
    },
    err: (text) => {
      all += text;
    },
    isErrTerminal,
    hasColour: false,
    said: () => all,
  };
}

/** Back to the start of the line, and nothing on it. */
export const CLEAR = "\r\u001B[2K";
