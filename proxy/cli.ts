import { existsSync } from "node:fs";
import { Argument, Command } from "commander";
import { EXIT, endProgram, runCommandLine } from "../snapshots/base/command-line/program.ts";
import {
  COMPLETED_SHELLS,
  type CompletedShell,
  completionScript,
} from "../snapshots/base/command-line/shell-scripts.ts";
import { findPackageDirectory, readPackage } from "../snapshots/base/package.ts";
import { FORMAT_VERSION } from "../snapshots/format/limits.ts";
import { isSnapshotFailure } from "../snapshots/store/read/snapshot-error.ts";
import { addAccountCommands } from "./commands/account-commands.ts";
import { type CommandContext, commandContext } from "./commands/command-context.ts";
import { type CommandWorld, printableSink } from "./commands/command-world.ts";
import { addKeyCommands } from "./commands/key-commands.ts";
import { addOptOutCommands } from "./commands/opt-out-commands.ts";
import { addServeCommand } from "./commands/serve-command.ts";
import { fileFailure, isOperatorFailure, OPERATOR_EXIT_CODES } from "./operator-error.ts";
import { SETTINGS } from "./settings.ts";

/** Runs one command line of `govdata-proxy` and returns its exit code: 0 done, 1 failed, 2 usage. */
export async function runCli(words: readonly string[], outside: CommandWorld): Promise<number> {
  const { stdout, stderr } = outside;
  const world = { ...outside, stdout: printableSink(stdout), stderr: printableSink(stderr) };
  let exitCode: number = EXIT.done;
  const addFleetCommands = await loadFleetCommands();
  const program = buildProgram(world, addFleetCommands, (code) => {
    exitCode = code;
  });
  const code = await runCommandLine(program, words, {
    out: (text) => void world.stdout.write(text),
    err: (text) => void world.stderr.write(text),
    explain: (error) => explain(error, world),
  });
  return code === EXIT.done ? exitCode : code;
}

/** Adds commands; `setExitCode` is called for an end that is neither success nor an error. */
type AddCommands = (context: CommandContext, setExitCode: (code: number) => void) => void;

/** The commands that only a fleet or recovery needs; none in a build that leaves `fleet/` out. */
async function loadFleetCommands(): Promise<AddCommands> {
  if (!existsSync(new URL("fleet", import.meta.url))) return () => {};
  return (await import("./fleet/fleet-commands.ts")).addFleetCommands;
}

function buildProgram(
  world: CommandWorld,
  addFleetCommands: AddCommands,
  setExitCode: (code: number) => void,
): Command {
  const program = new Command("govdata-proxy");
  program
    .description("Serve published governance snapshots over HTTP, with API keys, tiers and quotas.")
    .addOption(SETTINGS.option("GOVDATA_PROXY_HOME"))
    .addOption(SETTINGS.option("GOVDATA_SNAPSHOTS"))
    .addOption(SETTINGS.option("GOVDATA_OPTOUTS"))
    .option("--json", "print results as JSON")
    .option("--no-color", "accepted for consistency: the output is never coloured (also: NO_COLOR)")
    .option("-V, --version", "print the versions of the program and of the format it reads")
    .on("option:version", () => {
      world.stdout.write(`${programVersions()}\n`);
      endProgram("printed its versions");
    })
    .addHelpText("after", `\n${SETTINGS.help()}\n\nExit codes: 0 done, 1 failed, 2 usage.`);
  const context = commandContext(program, world);
  addServeCommand(context, setExitCode);
  addKeyCommands(context);
  addAccountCommands(context);
  addOptOutCommands(context);
  addFleetCommands(context, setExitCode);
  context
    .add(
      program,
      "openapi",
      "print the API's OpenAPI 3.1 document, as /openapi.json serves it",
      "openapi > openapi.json",
    )
    .action(async () => {
      const { openApiText } = await import("./openapi/openapi-document.ts");
      world.stdout.write(openApiText());
    });
  context
    .add(
      program,
      "completion",
      "print a script that completes commands and options in a shell",
      "completion bash",
    )
    .addArgument(new Argument("<shell>", "which shell").choices(COMPLETED_SHELLS))
    .action((shell: CompletedShell) => {
      const script = completionScript(program, shell);
      if (!context.isJson()) world.stdout.write(script);
      context.printDone({ program: program.name(), shell, script });
    });
  return program;
}

/** Prints what went wrong and what to do next, without a stack trace. */
function explain(thrown: unknown, world: CommandWorld): number {
  const error = fileFailure(thrown, "A file that this command needs");
  if (isOperatorFailure(error)) {
    world.stderr.write(`error: ${error.message}\n${error.hint === undefined ? "" : `${error.hint}\n`}`);
    return OPERATOR_EXIT_CODES[error.code];
  }
  if (isSnapshotFailure(error)) {
    world.stderr.write(`error: ${error.code}: ${error.message}${error.path ? ` (${error.path})` : ""}\n`);
    return EXIT.failed;
  }
  const message = error instanceof Error ? error.message : "a value that is not an error was thrown";
  world.stderr.write(`error: ${message}\nThis is a bug; please report it.\n`);
  return EXIT.failed;
}

/** Returns the versions of the program and of the format it reads; its package is above `folder`, built or not. */
export function programVersions(folder?: string): string {
  const directory = findPackageDirectory(folder);
  // A build copied without its package still knows which format it reads.
  const version =
    directory === undefined
      ? "(version unknown: no package.json of govdata found above it)"
      : readPackage(directory).version;
  return `govdata-proxy ${version}, format ${FORMAT_VERSION}`;
}
