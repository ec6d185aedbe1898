import "./no-public-hub.ts";
import { randomBytes } from "node:crypto";
import { fileURLToPath } from "node:url";
import { runProgram } from "../../pipeline/cli/program.ts";
import { runCli } from "../../proxy/cli.ts";
import type { CommandWorld } from "../../proxy/commands/command-world.ts";

/** The exit code and output of a command line. */
export interface CommandEnd {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs one `govdata` command line in this process: the same code as the program, without the start-up time. */
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
    pause: async () => {},
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

/** A world for commands of `govdata-proxy`; a test provides only the parts that it needs. */
export function commandWorld(parts: Partial<CommandWorld>): CommandWorld {
  const nowMs = parts.nowMs ?? (() => Date.now());
  const stdout = parts.stdout ?? { write: () => {} };
  return {
    stdout,
    stderr: { write: () => {} },
    environment: {},
    nowMs,
    monotonicMs: nowMs,
    randomBytes,
    onStopSignal: () => () => {},
    deliver: async (text) => void stdout.write(text),
    readLine: async () => "",
    isStdoutNowhere: () => false,
    openFilesMax: () => undefined,
    startFollower: () => {
      throw new Error("this test starts no second process");
    },
    onExit: () => () => {},
    ...parts,
  };
}

/** Runs one `govdata-proxy` command line, which must end on its own, in this process. */
export async function runProxyCommand(
  args: readonly string[],
  parts: Partial<CommandWorld> = {},
): Promise<CommandEnd> {
  const said = { stdout: "", stderr: "" };
  const sinkOf = (name: "stdout" | "stderr") => ({
    write(text: string) {
      said[name] += text;
    },
  });
  const world = commandWorld({ stdout: sinkOf("stdout"), stderr: sinkOf("stderr"), ...parts });
  const code = await runCli(args, world);
  return { code, ...said };
}
