import process, { arch, platform, version } from "node:process";
import { findPackageDirectory, readPackage } from "./package.ts";
import type { SqlitePackage } from "./sqlite.ts";

interface PlatformProblem {
  readonly message: string;
  readonly hint: string;
}

/** The exit code for wrong usage, here of a program on a machine that cannot run it. */
const EXIT_USAGE = 2;

/**
 * Imports a program, which then runs, unless this Node is unsupported or SQLite's native module does not load: then says
 * so and sets exit code 2. Nothing is imported before, as an older Node may not even link the program's files.
 */
export async function startProgram(importProgram: () => Promise<unknown>): Promise<void> {
  const directory = findPackageDirectory();
  // A build that was copied without its package does not know the range.
  const range = directory === undefined ? undefined : readPackage(directory).engines.node;
  const unsupported = range === undefined ? undefined : nodeProblem(version.slice(1), range);
  const problem = unsupported ?? (await sqliteProblem());
  if (problem === undefined) return void (await importProgram());
  process.stderr.write(`error: ${problem.message}\n${problem.hint}\n`);
  process.exitCode = EXIT_USAGE;
}

/** The problem with a version of Node; `undefined` if the range of the package includes it. */
export function nodeProblem(nodeVersion: string, range: string): PlatformProblem | undefined {
  if (isInNodeRange(nodeVersion, range)) return undefined;
  return {
    message: `Node ${nodeVersion} is not in the range ${range}`,
    hint: "Install a version in this range, then run the command again.",
  };
}

/** Whether a full Node version is in a range such as `>=20.19 <21 || >=22.12`. */
function isInNodeRange(nodeVersion: string, range: string): boolean {
  return range.split("||").some((span) =>
    span
      .trim()
      .split(/\s+/)
      .every((bound) => {
        const limit = bound.replace(/^(>=|<)/, "");
        const isBelow = nodeVersion.localeCompare(limit, "en", { numeric: true }) < 0;
        return isBelow === bound.startsWith("<");
      }),
  );
}

async function sqliteProblem(): Promise<PlatformProblem | undefined> {
  const { loadSqlite, SQLITE_PACKAGE } = await import("./sqlite.ts");
  try {
    loadSqlite();
    return undefined;
  } catch (error) {
    return loadProblem(SQLITE_PACKAGE, error);
  }
}

const COMPILER = "It needs python3, make and a C++ compiler.";

/** Says why a package for SQLite did not load, by the error that Node or the package threw, and what mends it. */
export function loadProblem(name: SqlitePackage, error: unknown): PlatformProblem {
  const reason = error instanceof Error ? error.message : String(error);
  const machine = `Node ${version.slice(1)} on ${platform}-${arch}`;
  if (reason.startsWith(`Cannot find module '${name}'`)) {
    return {
      message: `the package for SQLite, ${name}, is not installed for ${machine}`,
      hint: `Install govdata again with this version of Node, optional dependencies included (in a checkout: \`npm ci\`). ${COMPILER}`,
    };
  }
  const isForAnother = reason.includes("NODE_MODULE_VERSION");
  const trouble = isForAnother ? "was built for another version of Node" : "has no binary that loads";
  return {
    message: `the package for SQLite, ${name}, ${trouble} on ${machine}`,
    hint: `Run \`${BUILD_COMMANDS[name]}\` in the folder of govdata. ${COMPILER}`,
  };
}

/** `better-sqlite3` brings its binaries and compiles only when told to; the older package compiles when it is installed. */
const BUILD_COMMANDS: Readonly<Record<SqlitePackage, string>> = {
  "better-sqlite3": "npm explore better-sqlite3 -- npm run build-release",
  "better-sqlite3-12": "npm rebuild better-sqlite3-12",
};
