import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { runProgram } from "../../pipeline/cli/program.ts";
import { runCli } from "../../proxy/cli.ts";

/** How a command line ended, and everything it said. */
export interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one `govdata` command line in this process: the same code as the program, without its start-up. */
export async function runGovdata(
  args: readonly string[],
  runWith: {
    readonly environment?: Readonly<Record<string, string>>;
    readonly nowMs?: () => number;
  } = {},
): Promise<CommandEnd> {
  const said = { stdout: "", stderr: "" };
  const code = await runProgram(args, {
    packageDirectory: fileURLToPath(new URL("../..", import.meta.url)),
    environment: runWith.environment ?? {},
    nowMs: runWith.nowMs ?? (() => Date.now()),
    terminal: {
      out: (text) => {
        said.stdout += text;
      },
      err: (text) => {
        said.stderr += text;
      },
      isErrTerminal: false,
      hasColour: false,
    },
  });
  return { code, ...said };
}

/** Runs one `govdata-proxy` command line that ends by itself, likewise. */
export async function runProxyCommand(args: readonly string[]): Promise<CommandEnd> {
  const said = { stdout: "", stderr: "" };
  const sinkOf = (name: "stdout" | "stderr") => ({
    write(text: string) {
      said[name] += text;
    },
  });
  const code = await runCli(args, {
    stdout: sinkOf("stdout"),
    stderr: sinkOf("stderr"),
    environment: {},
    nowMs: () => Date.now(),
    randomBytes,
    onStopSignal: () => () => {},
  });
  return { code, ...said };
}
