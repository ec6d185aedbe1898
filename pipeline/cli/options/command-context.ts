import { randomBytes } from "node:crypto";
import { type Command, Option } from "commander";
import { type DescribedCommand, describedCommand } from "../../../snapshots/base/command-line/program.ts";
import { requireOutside } from "../../../snapshots/base/command-line/public-folder.ts";
import type { Environment } from "../../../snapshots/base/command-line/settings.ts";
import { freeBytesAt } from "../../../snapshots/base/durable-files.ts";
import { pipelineFailure } from "../../facts/errors.ts";
import type { RunEffects, Settings } from "../../home/settings.ts";
import { createProgress } from "../terminal/progress.ts";
import type { Terminal, Verbosity } from "../terminal/terminal.ts";
import { SETTINGS, threadsOf } from "./settings.ts";

type GlobalOptions = Partial<
  Record<"home" | "snapshots" | "registry" | "optouts" | "threads", string> &
    Record<"json" | "quiet" | "verbose", boolean>
>;

export interface CommandContext extends Pick<ProcessContext, "terminal" | "nowMs" | "pause" | "environment"> {
  readonly settings: Settings;
  readonly effects: RunEffects;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly isVerbose: boolean;
  /** Width of tables; `undefined` if stdout is not a terminal. */
  readonly columns: number | undefined;
}

export interface ProcessContext {
  readonly terminal: Terminal;
  readonly packageDirectory: string;
  readonly nowMs: () => number;
  readonly pause: (waitMs: number) => Promise<void>;
  readonly processorMs?: () => number;
  readonly peakMemoryBytes?: () => number;
  /** The environment variables. Secrets come only from here, as process lists show flags. */
  readonly environment: Environment;
  /** Sets the exit code if nothing is thrown. */
  exitWith(code: number): void;
}

export function globalOptions(): Option[] {
  return [
    SETTINGS.option("GOVDATA_HOME"),
    SETTINGS.option("GOVDATA_SNAPSHOTS"),
    SETTINGS.option("GOVDATA_REGISTRY"),
    SETTINGS.option("GOVDATA_OPTOUTS"),
    new Option("--json", "print JSON"),
    new Option("-q, --quiet", "print no progress").conflicts("verbose"),
    new Option("-v, --verbose", "print every step, and the origin of errors"),
    new Option("--no-color", "print no colours (also: NO_COLOR)"),
  ];
}

function settingsOf(given: GlobalOptions, { environment, packageDirectory }: ProcessContext): Settings {
  const home = SETTINGS.read("GOVDATA_HOME", environment, given.home);
  const snapshots = SETTINGS.read("GOVDATA_SNAPSHOTS", environment, given.snapshots);
  const files = {
    registry: SETTINGS.read("GOVDATA_REGISTRY", environment, given.registry),
    optouts: SETTINGS.read("GOVDATA_OPTOUTS", environment, given.optouts),
  };
  if (home === "" || snapshots === "") {
    throw pipelineFailure("BAD_OPTION", "--home and --snapshots must name a folder");
  }
  // As a folder it would create `s3:/bucket` in the working directory.
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(snapshots)) {
    throw pipelineFailure("BAD_OPTION", "--snapshots (GOVDATA_SNAPSHOTS) must be a folder, not an address", {
      hint: "`govdata pull ADDRESS` downloads what is published there; --to uploads what is published here.",
    });
  }
  for (const [name, path] of Object.entries(files)) {
    if (path === "") throw pipelineFailure("BAD_OPTION", `--${name} must name a file`);
  }
  requireOutside(snapshots, "--home", home);
  if (files.optouts !== undefined) requireOutside(snapshots, "--optouts", files.optouts);
  return {
    homeDirectory: home,
    optOutsPath: files.optouts,
    snapshotsDirectory: snapshots,
    registryPath: files.registry,
    packageDirectory,
    threads: threadsOf(environment, given.threads),
  };
}

function contextOf(command: Command, process: ProcessContext): CommandContext {
  const options = command.optsWithGlobals<GlobalOptions>();
  const { json = false, quiet = false, verbose = false } = options;
  const { terminal, nowMs, pause, environment, processorMs, peakMemoryBytes } = process;
  const settings = settingsOf(options, process);
  const { homeDirectory, snapshotsDirectory } = settings;
  const verbosity: Verbosity = quiet ? "quiet" : verbose ? "verbose" : "normal";
  return {
    settings,
    effects: {
      nowMs,
      pause,
      freeBytes: (folder) => freeBytesAt(folder === "snapshots" ? snapshotsDirectory : homeDirectory),
      ...(processorMs && { processorMs }),
      ...(peakMemoryBytes && { peakMemoryBytes }),
      runId: randomBytes(8).toString("hex"),
      progress: createProgress(terminal, verbosity, nowMs),
    },
    isJson: json,
    isQuiet: quiet,
    isVerbose: verbose,
    terminal,
    nowMs,
    pause,
    environment,
    columns: terminal.columns,
  };
}

export type MakeCommand = (process: ProcessContext) => Command;

/** Defines a command: arguments, action, and how the result is printed as text or, with `--json`, as one line. */
export function command<Given extends unknown[], Data>({
  takes = (made) => made,
  run,
  text,
  json = (data) => data,
  exit,
  ...described
}: DescribedCommand & {
  takes?(made: Command): Command;
  /** Receives the arguments and then the options; returns `undefined` if there is nothing to print. */
  run(context: CommandContext, ...given: Given): Data | Promise<Data>;
  text(data: NonNullable<Data>, context: CommandContext, ...given: Given): string | Promise<string>;
  json?(data: NonNullable<Data>): unknown;
  /** The exit code if nothing was thrown; 0 if omitted. */
  exit?(data: NonNullable<Data>): number;
}): MakeCommand {
  return (process) =>
    takes(describedCommand(described)).action(async (...all: unknown[]) => {
      const context = contextOf(all.at(-1) as Command, process);
      const given = all.slice(0, -1) as Given;
      const data = await run(context, ...given);
      if (data === undefined || data === null) return;
      const { terminal, isJson } = context;
      terminal.out(isJson ? `${JSON.stringify(json(data))}\n` : await text(data, context, ...given));
      if (exit !== undefined) process.exitWith(exit(data));
    });
}

export function commandGroup(described: DescribedCommand, children: readonly MakeCommand[]): MakeCommand {
  return (process) => {
    const group = describedCommand(described);
    for (const child of children) group.addCommand(child(process));
    return group;
  };
}
