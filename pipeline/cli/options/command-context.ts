import { randomBytes } from "node:crypto";
import { isAbsolute, relative, sep } from "node:path";
import { Command, Option } from "commander";
import { PipelineError } from "../../facts/errors.ts";
import { freeBytesAt } from "../../home/atomic-write.ts";
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
export interface CommandContext extends Pick<ProcessContext, "terminal" | "nowMs" | "pause" | "environment"> {
  readonly settings: Settings;
  readonly effects: RunEffects;
  readonly isJson: boolean;
  /** Only data and what is wrong; no remarks. */
  readonly isQuiet: boolean;
  /** Also what hardly anybody wants to know. */
  readonly isVerbose: boolean;
  /** How wide a table may be; `undefined` where nobody looks at it on a terminal. */
  readonly columns: number | undefined;
}

/** What the process gives to every command. */
export interface ProcessContext {
  readonly terminal: Terminal;
  readonly packageDirectory: string;
  readonly nowMs: () => number;
  /** Waits; a test does not. */
  readonly pause: (waitMs: number) => Promise<void>;
  readonly processorMs?: () => number;
  readonly peakMemoryBytes?: () => number;
  /** The process's variables; secrets come from here and from no flag, as a list of processes shows those. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Sets the code that the program ends with when nothing was thrown. */
  exitWith(code: number): void;
}

/** The program's options that every command has; each names its variable. */
export function globalOptions(): Option[] {
  return [
    new Option("--home <dir>", "folder of the warehouse, registry and other unpublished state")
      .env("GOVDATA_HOME")
      .default(".govdata"),
    new Option("--snapshots <dir>", "folder where versions are published")
      .env("GOVDATA_SNAPSHOTS")
      .default("snapshots/published"),
    new Option(
      "--registry <file>",
      "tracked DAOs and entities (default: the home's, otherwise the curated list)",
    ).env("GOVDATA_REGISTRY"),
    new Option("--optouts <file>", "live opt-outs that both programs obey (default: the home's)").env(
      "GOVDATA_OPTOUTS",
    ),
    new Option("--json", "print JSON"),
    new Option("-q, --quiet", "print no progress").conflicts("verbose"),
    new Option("-v, --verbose", "print every step, and the origin of errors"),
    new Option("--no-color", "print no colours (also: NO_COLOR)"),
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
        hint: "`govdata pull ADDRESS` downloads what is published there; --to uploads what is published here.",
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
      hint: "Everything under --snapshots is public; the home holds who opted out.",
    });
  }
}

/** Makes the context of a command that is about to run. */
function contextOf(command: Command, process: ProcessContext): CommandContext {
  const options = command.optsWithGlobals<GlobalOptions>();
  checkPaths(options);
  const { terminal, nowMs, pause, environment } = process;
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
      nowMs,
      freeBytes: (of = "home") => freeBytesAt(options[of]),
      ...(process.processorMs === undefined ? {} : { processorMs: process.processorMs }),
      ...(process.peakMemoryBytes === undefined ? {} : { peakMemoryBytes: process.peakMemoryBytes }),
      runId: randomBytes(8).toString("hex"),
      progress: createProgress(terminal, verbosity, nowMs),
    },
    isJson: options.json === true,
    isQuiet,
    isVerbose,
    terminal,
    nowMs,
    pause,
    environment,
    columns: terminal.columns,
  };
}

/** Makes a command for a process. */
export type MakeCommand = (process: ProcessContext) => Command;

/** What help says of a command. */
interface Described {
  readonly name: string;
  /** One line, as the list of commands has it. */
  readonly description: string;
  /** What else a user must know: sentences below the line, in the command's own help. */
  readonly details?: string;
  /** Command lines that stand below its help. */
  readonly example: string;
}

function describedCommand({ name, description, details, example }: Described): Command {
  return new Command(name)
    .summary(description)
    .description(details === undefined ? description : `${description}\n\n${details}`)
    .addHelpText("after", `\nExample:\n  ${example}`);
}

/** A command: what it takes, what it does, and how that is printed as text, or with `--json` as a value on one line. */
export function command<Given extends unknown[], Data>({
  takes = (made) => made,
  run,
  text,
  json = (data) => data,
  exit,
  ...described
}: Described & {
  /** Adds arguments and options. */
  takes?(made: Command): Command;
  /** Is given the arguments and then the options; what answers `undefined` has nothing to print. */
  run(context: CommandContext, ...given: Given): Data | Promise<Data>;
  text(data: NonNullable<Data>, context: CommandContext, ...given: Given): string;
  /** What `--json` prints, where it is not all that `run` answers. */
  json?(data: NonNullable<Data>): unknown;
  /** The exit code where nothing was thrown; 0 where it is left out. */
  exit?(data: NonNullable<Data>): number;
}): MakeCommand {
  return (process) =>
    takes(describedCommand(described)).action(async (...all: unknown[]) => {
      const context = contextOf(all.at(-1) as Command, process);
      const given = all.slice(0, -1) as Given;
      const data = await run(context, ...given);
      if (data === undefined || data === null) return;
      const { terminal, isJson } = context;
      terminal.out(isJson ? `${JSON.stringify(json(data))}\n` : text(data, context, ...given));
      if (exit !== undefined) process.exitWith(exit(data));
    });
}

/** A command that has nothing but commands below it. */
export function commandGroup(described: Described, children: readonly MakeCommand[]): MakeCommand {
  return (process) => {
    const group = describedCommand(described);
    for (const child of children) group.addCommand(child(process));
    return group;
  };
}
