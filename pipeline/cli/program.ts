import { existsSync } from "node:fs";
import { extname } from "node:path";
import { Command } from "commander";
import { endProgram, runCommandLine } from "../../snapshots/base/command-line/program.ts";
import { readPackage } from "../../snapshots/base/package.ts";
import { FORMAT_VERSION } from "../../snapshots/format/limits.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { backfillCommand, computeCommand } from "./commands/compute.ts";
import { daoCommand } from "./commands/dao.ts";
import { correctCommand, entityCommand } from "./commands/entity.ts";
import { doctorCommand, initCommand, signKeyCommand, statusCommand } from "./commands/home.ts";
import { completionCommand, methodologyCommand } from "./commands/program.ts";
import { pullCommand, pushCommand } from "./commands/push.ts";
import { fetchCommand, publishCommand, runCommand } from "./commands/run.ts";
import {
  pruneCommand,
  redactCommand,
  repairCommand,
  rollbackCommand,
  verifyCommand,
} from "./commands/versions.ts";
import { globalOptions, type MakeCommand, type ProcessContext } from "./options/command-context.ts";
import { EXIT, EXIT_MEANINGS, exitOf } from "./terminal/exit-codes.ts";
import { formatError, formatOrigin, tidyTerminal } from "./terminal/terminal.ts";

const EXIT_CODES_HELP = `
Exit codes:
${Object.entries(EXIT)
  .map(([name, code]) => `  ${String(code).padEnd(5)}${EXIT_MEANINGS[name as keyof typeof EXIT]}`)
  .join("\n")}`;

/** The commands of the core in the order of the help; those of the tools stand between. */
const COMMANDS: readonly MakeCommand[] = [
  initCommand,
  doctorCommand,
  fetchCommand,
  computeCommand,
  backfillCommand,
  publishCommand,
  runCommand,
  redactCommand,
  verifyCommand,
  statusCommand,
  pruneCommand,
  rollbackCommand,
  repairCommand,
  pushCommand,
  pullCommand,
  signKeyCommand,
];
const LAST_COMMANDS: readonly MakeCommand[] = [
  methodologyCommand,
  daoCommand,
  entityCommand,
  correctCommand,
  completionCommand,
];

/** The commands of `pipeline/tools`; none if that folder was left out. */
async function toolCommands(): Promise<readonly MakeCommand[]> {
  // A URL, as what is imported by its name would have to exist for the program to compile.
  const source = new URL("../tools/commands.ts", import.meta.url);
  const list = new URL(source.href.replace(/\.ts$/, extname(import.meta.url)));
  if (!existsSync(list)) return [];
  const { TOOL_COMMANDS }: { readonly TOOL_COMMANDS: readonly MakeCommand[] } = await import(list.href);
  return TOOL_COMMANDS;
}

async function buildProgram(process: ProcessContext): Promise<Command> {
  const program = new Command("govdata")
    .description("Measures the governance of DAOs and publishes the numbers as versioned files.")
    .addHelpText("after", EXIT_CODES_HELP);
  for (const option of globalOptions()) program.addOption(option);
  program
    .option("-V", "print the versions of program, method and format (also a lone --version)")
    .on("option:V", () => {
      const { version } = readPackage(process.packageDirectory);
      process.terminal.out(`govdata ${version}, method ${METHODOLOGY.version}, format ${FORMAT_VERSION}\n`);
      endProgram("printed the versions");
    });
  for (const command of [...COMMANDS, ...(await toolCommands()), ...LAST_COMMANDS])
    program.addCommand(command(process));
  return program;
}

/** Runs one command line and returns the exit code; never throws. Writes data to stdout, all else to stderr. */
export async function runProgram(
  argv: readonly string[],
  process: Omit<ProcessContext, "exitWith">,
): Promise<number> {
  let code: number = EXIT.done;
  const terminal = tidyTerminal(process.terminal);
  const program = await buildProgram({
    ...process,
    terminal,
    exitWith(given) {
      code = given;
    },
  });
  // Not a global option: commands have an option with this name, which it would take over.
  const isAlone = argv.includes("--version") && argv.every((word) => word.startsWith("-"));
  const ended = await runCommandLine(program, isAlone ? ["-V"] : argv, {
    out: terminal.out,
    err: terminal.err,
    explain(error) {
      terminal.err(formatError(error, terminal));
      if (program.opts<{ verbose?: boolean }>().verbose === true) terminal.err(`${formatOrigin(error)}\n`);
      return exitOf(error);
    },
  });
  return ended === EXIT.done ? code : ended;
}
