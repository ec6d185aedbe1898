import { Command } from "commander";
import { endProgram, runCommandLine } from "../../snapshots/base/command-line/program.ts";
import { readPackage } from "../../snapshots/base/package.ts";
import { FORMAT_VERSION } from "../../snapshots/format/limits.ts";
import { METHODOLOGY } from "../score/method/methodology.ts";
import { backfillCommand } from "./commands/backfill.ts";
import { badgeCommand } from "./commands/badge.ts";
import { compareCommand } from "./commands/compare.ts";
import { completionCommand } from "./commands/completion.ts";
import { computeCommand } from "./commands/compute.ts";
import { daoCommand } from "./commands/dao.ts";
import { diffCommand } from "./commands/diff.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { entityCommand } from "./commands/entity.ts";
import { explainCommand } from "./commands/explain.ts";
import { exportCommand } from "./commands/export.ts";
import { feedCommand } from "./commands/feed.ts";
import { fetchCommand } from "./commands/fetch.ts";
import { graphCommand } from "./commands/graph.ts";
import { initCommand } from "./commands/init.ts";
import { methodologyCommand } from "./commands/methodology.ts";
import { pruneCommand } from "./commands/prune.ts";
import { publishCommand } from "./commands/publish.ts";
import { pullCommand } from "./commands/pull.ts";
import { pushCommand } from "./commands/push.ts";
import { recomputeCommand } from "./commands/recompute.ts";
import { redactCommand } from "./commands/redact.ts";
import { repairCommand } from "./commands/repair.ts";
import { reportCommand } from "./commands/report.ts";
import { rollbackCommand } from "./commands/rollback.ts";
import { runCommand } from "./commands/run.ts";
import { showCommand } from "./commands/show.ts";
import { signKeyCommand } from "./commands/sign-key.ts";
import { statusCommand } from "./commands/status.ts";
import { verifyCommand } from "./commands/verify.ts";
import { globalOptions, type ProcessContext } from "./options/command-context.ts";
import { EXIT, EXIT_MEANINGS, exitOf } from "./terminal/exit-codes.ts";
import { formatError, formatOrigin, tidyTerminal } from "./terminal/terminal.ts";

/** The versions of the program, of the method, and of the published format, which change independently. */
export function programVersions(packageDirectory: string): string {
  return `govdata ${readPackage(packageDirectory).version}, method ${METHODOLOGY.version}, format ${FORMAT_VERSION}`;
}

const EXIT_CODES_HELP = `
Exit codes:
${Object.entries(EXIT)
  .map(([name, code]) => `  ${String(code).padEnd(5)}${EXIT_MEANINGS[name as keyof typeof EXIT]}`)
  .join("\n")}`;

/** All commands, in the order of the help. */
const COMMANDS: readonly ((process: ProcessContext) => Command)[] = [
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
  showCommand,
  explainCommand,
  compareCommand,
  recomputeCommand,
  diffCommand,
  reportCommand,
  badgeCommand,
  feedCommand,
  graphCommand,
  exportCommand,
  methodologyCommand,
  daoCommand,
  entityCommand,
  completionCommand,
];

function buildProgram(process: ProcessContext): Command {
  const program = new Command("govdata")
    .description("Measures the governance of DAOs and publishes the numbers as versioned files.")
    .addHelpText("after", EXIT_CODES_HELP);
  for (const option of globalOptions()) program.addOption(option);
  program
    .option("-V", "print the versions of program, method and format (also a lone --version)")
    .on("option:V", () => {
      process.terminal.out(`${programVersions(process.packageDirectory)}\n`);
      endProgram("printed the versions");
    });
  for (const command of COMMANDS) program.addCommand(command(process));
  return program;
}

/** Runs one command line and returns the exit code; never throws. Writes data to stdout, all else to stderr. */
export async function runProgram(
  argv: readonly string[],
  process: Omit<ProcessContext, "exitWith">,
): Promise<number> {
  let code: number = EXIT.done;
  const terminal = tidyTerminal(process.terminal);
  const program = buildProgram({
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
