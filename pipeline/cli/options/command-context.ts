import { randomBytes } from "node:crypto";
import { isAbsolute, relative, sep } from "node:path";
import { Command, Option } from "commander";
import { PipelineError } from "../../facts/errors.ts";
import type { RunEffects, Settings } from "../../home/settings.ts";
import { createProgress } from "../terminal/progress.ts";
import type { Terminal, Verbosity } from "../terminal/terminal.ts";
import { threadsOf } from "./parse-options.ts";

/** What the global options say. */
interface GlobalOptions {
  readonly home: string;
  readonly snapshots: string;
  readonly registry?: string;
  readonly optouts?: string;
  readonly threads?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
}

/** What one command works with. */
export interface CommandContext {
  readonly settings: Settings;
  readonly effects: RunEffects;
  readonly isJson: boolean;
  /** Only data and what is wrong; no remarks. */
  readonly isQuiet: boolean;
  /** Also what hardly anybody wants to know. */
  readonly isVerbose: boolean;
  readonly terminal: Terminal;
  /** How wide a table may be; `undefined` where nobody looks at it on a terminal. */
  readonly columns: number | undefined;
  /** Prints the table, or with `--json` the value on one line. */
  print(text: string, value: unknown): void;
}

/** What the process gives to every command. */
export interface ProcessContext {
  readonly terminal: Terminal;
  readonly packageDirectory: string;
  readonly nowMs: () => number;
  readonly processorMs?: () => number;
  /** The process's variables; secrets come from here and from no flag, as a list of processes shows those. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Sets the code that the program ends with when nothing was thrown. */
  exitWith(code: number): void;
}

/** The program's options that every command has; each names its variable. */
export function globalOptions(): Option[] {
  return [
    new Option("--home <dir>", "warehouse, registry and other state that is not published")
      .env("GOVDATA_HOME")
      .default(".govdata"),
    new Option("--snapshots <dir>", "where versions are published")
      .env("GOVDATA_SNAPSHOTS")
      .default("snapshots/published"),
    new Option(
      "--registry <file>",
      "tracked DAOs and entities (default: the home's, or else the curated one)",
    ).env("GOVDATA_REGISTRY"),
    new Option(
      "--optouts <file>",
      "the list of live opt-outs that both programs obey (default: the home's)",
    ).env("GOVDATA_OPTOUTS"),
    new Option("--json", "print data as JSON, for machines"),
    new Option("-q, --quiet", "no progress").conflicts("verbose"),
    new Option("-v, --verbose", "a line for every step, and where errors come from"),
    new Option("--no-color", "no colours (also: NO_COLOR)"),
  ];
}

/** Whether a path is a folder, or lies in it. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep)[0] !== "..";
}

/** Throws `PipelineError` BAD_OPTION for paths that nobody can have meant. */
function checkPaths(options: GlobalOptions): void {
  if (options.home === "" || options.snapshots === "") {
    throw new PipelineError("BAD_OPTION", "--home and --snapshots must name a folder");
  }
  // Taken for a folder it would be one of that name: `s3:/bucket`, below where the command was called.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(options.snapshots)) {
    throw new PipelineError(
      "BAD_OPTION",
      "--snapshots (GOVDATA_SNAPSHOTS) must be a folder, not an address",
      {
        hint: "`govdata pull ADDRESS` brings here what is published there; --to carries there what is published here.",
      },
    );
  }
  for (const name of ["registry", "optouts"] as const) {
    if (options[name] === "") throw new PipelineError("BAD_OPTION", `--${name} must name a file`);
  }
  for (const name of ["home", "optouts"] as const) {
    const path = options[name];
    if (path === undefined || !isWithin(options.snapshots, path)) continue;
    throw new PipelineError("BAD_OPTION", `--${name} must not lie in the folder of --snapshots`, {
      hint: "What is under --snapshots is given to anyone; the home holds who opted out.",
    });
  }
}

/** Makes the context of a command that is about to run. */
export function contextOf(command: Command, process: ProcessContext): CommandContext {
  const options = command.optsWithGlobals<GlobalOptions>();
  checkPaths(options);
  const { terminal } = process;
  const isJson = options.json === true;
  const isQuiet = options.quiet === true;
  const isVerbose = options.verbose === true;
  const verbosity: Verbosity = isQuiet ? "quiet" : isVerbose ? "verbose" : "normal";
  return {
    settings: {
      homeDirectory: options.home,
      optOutsPath: options.optouts,
      snapshotsDirectory: options.snapshots,
      registryPath: options.registry,
      packageDirectory: process.packageDirectory,
      threads: threadsOf(options.threads),
    },
    effects: {
      nowMs: process.nowMs,
      ...(process.processorMs === undefined ? {} : { processorMs: process.processorMs }),
      runId: randomBytes(8).toString("hex"),
      progress: createProgress(terminal, verbosity, process.nowMs),
    },
    isJson,
    isQuiet,
    isVerbose,
    terminal,
    columns: terminal.columns,
    print: (text, value) => terminal.out(isJson ? `${JSON.stringify(value)}\n` : text),
  };
}

/** A command of its own with an example under its help. */
export function describedCommand(name: string, description: string, example: string): Command {
  return new Command(name).description(description).addHelpText("after", `\nExample:\n  ${example}`);
}
