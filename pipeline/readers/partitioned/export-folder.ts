import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { PipelineError } from "../../facts/errors.ts";
import { type OutputFile, replaceFolder, type Written, writeUnflushed } from "../../home/atomic-write.ts";
import type { About, ExportedFile } from "./about.ts";

const ABOUT_FILE = "about.json";

/** A folder that is being written beside its place. */
export interface ExportFolder {
  /** Writes one file; throws `PipelineError` OUTPUT_FAILED. */
  put(path: string, chunks: Iterable<Uint8Array>): Written;
  /** Writes `about.json` last of all and puts the folder in its place; answers all files. Throws `PipelineError`. */
  finish(aboutOf: (files: readonly ExportedFile[]) => About): Promise<readonly ExportedFile[]>;
  /** Takes back what is not finished; what was in its place stays. To be called in the end in any case. */
  drop(): void;
}

function isExport(directory: string): boolean {
  try {
    const value: unknown = JSON.parse(readFileSync(join(directory, ABOUT_FILE), "utf8"));
    return typeof value === "object" && value !== null && "kind" in value && value.kind === "govdata-export";
  } catch {
    return false;
  }
}

/** Throws `PipelineError` BAD_OPTION where something lies that nobody allowed to go, or that is no export of ours. */
export function assertReplaceable({ path, isForced }: OutputFile): void {
  if (!existsSync(path)) return;
  if (!isForced) {
    throw new PipelineError("BAD_OPTION", `${path} is there already`, {
      hint: "Name another folder, or allow this one to be replaced with --force.",
    });
  }
  const isFolder = lstatSync(path).isDirectory();
  if (isFolder && (readdirSync(path).length === 0 || isExport(path))) return;
  throw new PipelineError("BAD_OPTION", `${path} is there and is no partitioned export`, {
    hint: "--force replaces an empty folder or an earlier export as a whole, and nothing else.",
  });
}

/** So many files are flushed at once: a disk makes one wait of them, and of thousands one after the other minutes. */
const FLUSHED_AT_ONCE = 32;

/** Waits until the disk has these files and folders. */
async function flush(paths: Iterable<string>): Promise<void> {
  const queue = [...paths].values();
  const work = async (): Promise<void> => {
    for (const path of queue) {
      const handle = await open(path, "r");
      try {
        await handle.sync();
      } finally {
        await handle.close();
      }
    }
  };
  await Promise.all(Array.from({ length: FLUSHED_AT_ONCE }, work));
}

/** What the system says against a file as `PipelineError` OUTPUT_FAILED; anything else as it is. */
function outputFailed(path: string, cause: unknown): unknown {
  if (!(cause instanceof Error && "syscall" in cause && "code" in cause)) return cause;
  return new PipelineError("OUTPUT_FAILED", `${path} cannot be written (${cause.code})`, {
    cause,
    hint: "Check that the folder around it is there, may be written to and has room.",
  });
}

/** Starts a folder beside its place. Throws `PipelineError` BAD_OPTION where that is taken, OUTPUT_FAILED where it cannot be made. */
export function createExportFolder(output: OutputFile): ExportFolder {
  assertReplaceable(output);
  const directory = resolve(output.path);
  const staged = `${directory}.${output.runId}.partial`;
  const folders = new Set([staged]);
  const files: ExportedFile[] = [];

  const remove = (): void => rmSync(staged, { recursive: true, force: true });
  const trying = <Result>(path: string, action: () => Result): Result => {
    try {
      return action();
    } catch (cause) {
      throw outputFailed(path, cause);
    }
  };
  const write = (path: string, chunks: Iterable<Uint8Array>): Written =>
    trying(path, () => {
      const target = join(staged, path);
      for (let folder = dirname(target); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
      mkdirSync(dirname(target), { recursive: true });
      return writeUnflushed(target, chunks);
    });

  trying(basename(directory), () => mkdirSync(staged));
  // An interrupt ends the process without coming back here.
  process.once("exit", remove);
  return {
    put(path, chunks) {
      const written = write(path, chunks);
      files.push({ path, ...written });
      return written;
    },
    async finish(aboutOf) {
      const name = basename(directory);
      const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
      const text = `${JSON.stringify(aboutOf(sorted), null, 2)}\n`;
      const flushed = (paths: Iterable<string>) =>
        flush(paths).catch((cause: unknown) => {
          throw outputFailed(name, cause);
        });
      // The file that says that all are there is written once the disk has them.
      await flushed(sorted.map(({ path }) => join(staged, path)));
      const about = { path: ABOUT_FILE, ...write(ABOUT_FILE, [Buffer.from(text, "utf8")]) };
      await flushed([join(staged, ABOUT_FILE), ...folders]);
      trying(name, () => {
        assertReplaceable(output);
        replaceFolder(staged, directory);
      });
      return [...sorted, about];
    },
    drop() {
      process.off("exit", remove);
      remove();
    },
  };
}

/** Copies the SQL of every measure beside the tables, as it lies in the package. */
export function putQueries(folder: ExportFolder, packageDirectory: string): void {
  const sql = join(packageDirectory, "pipeline", "readers", "partitioned", "sql");
  const about = join(sql, "README.md");
  if (existsSync(about)) folder.put("sql/README.md", [readFileSync(about)]);
  for (const engine of ["duckdb", "clickhouse"]) {
    const directory = join(sql, engine);
    if (!existsSync(directory)) continue;
    for (const name of readdirSync(directory)
      .filter((each) => each.endsWith(".sql"))
      .sort()) {
      folder.put(`sql/${engine}/${name}`, [readFileSync(join(directory, name))]);
    }
  }
}
