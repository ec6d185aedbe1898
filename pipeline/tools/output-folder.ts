import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { forEachInFlight } from "../../snapshots/base/concurrency.ts";
import { flush, replaceFolder, type Written, writeUnflushed } from "../../snapshots/base/durable-files.ts";
import { type PipelineErrorCode, pipelineFailure } from "../facts/errors.ts";
import { type OutputFile, onDisk } from "../home/atomic-write.ts";

/** What a command writes a folder of; only one of the same kind may be replaced. */
export interface FolderKind {
  /** As messages call it. */
  readonly name: string;
  /** The file that says what the folder is, and its `kind` in it. */
  readonly markFile: string;
  readonly kind: string;
  /** What may be named in place of somebody else's folder. */
  readonly hint: string;
  /** What it ends with if the disk refuses. */
  readonly failure: PipelineErrorCode;
  readonly makesParents: boolean;
}

interface WrittenFile extends Written {
  readonly path: string;
}

export type OutputFolder = ReturnType<typeof createOutputFolder>;

/** Whether a folder is empty, or declares this kind. */
function isReplaceable(directory: string, { markFile, kind }: FolderKind): boolean {
  if (!lstatSync(directory).isDirectory()) return false;
  if (readdirSync(directory).length === 0) return true;
  try {
    const value: unknown = JSON.parse(readFileSync(join(directory, markFile), "utf8"));
    return typeof value === "object" && value !== null && "kind" in value && value.kind === kind;
  } catch {
    return false;
  }
}

/** Throws `BAD_OPTION` if the path exists and may not be replaced. */
function assertReplaceable({ path, isForced }: OutputFile, kind: FolderKind): void {
  if (!existsSync(path)) return;
  if (!isForced) {
    throw pipelineFailure("BAD_OPTION", `${path} already exists`, {
      hint: "Use another folder, or replace this one with --force.",
    });
  }
  if (isReplaceable(path, kind)) return;
  throw pipelineFailure("BAD_OPTION", `${path} exists and is not ${kind.name}`, { hint: kind.hint });
}

/** Files flushed in parallel: a disk combines them, while thousands one by one would take minutes. */
const FLUSHED_AT_ONCE = 32;

/** Creates the folder next to its final path. Throws `BAD_OPTION` if that is taken, or the failure of its kind. */
export function createOutputFolder(output: OutputFile, kind: FolderKind) {
  assertReplaceable(output, kind);
  const directory = resolve(output.path);
  const name = basename(directory);
  const staged = `${directory}.${output.runId}.partial`;
  const folders = new Set([staged]);
  const files: WrittenFile[] = [];

  const hint = "Check that its parent folder exists, is writable and has free space.";
  const writing = <Result>(path: string, action: () => Result): Result =>
    onDisk(kind.failure, (code) => ({ message: `${path} cannot be written (${code})`, hint }), action);
  const remove = (): void => rmSync(staged, { recursive: true, force: true });
  const put = (path: string, chunks: Iterable<Uint8Array>): Written =>
    writing(path, () => {
      const target = join(staged, path);
      for (let folder = dirname(target); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
      mkdirSync(dirname(target), { recursive: true });
      const written = writeUnflushed(target, chunks);
      files.push({ path, ...written });
      return written;
    });
  const flushed = (paths: Iterable<string>): Promise<void> =>
    forEachInFlight(paths, FLUSHED_AT_ONCE, flush).catch((cause: unknown) =>
      writing(name, () => {
        throw cause;
      }),
    );

  writing(name, () => mkdirSync(staged, { recursive: kind.makesParents }));
  // An interrupt ends the process without calling `drop`.
  process.once("exit", remove);
  return {
    put,
    putText: (path: string, text: string): Written => put(path, [Buffer.from(text, "utf8")]),
    /** Writes the mark last, moves the folder to its final path and returns all files; throws `PipelineFailure`. */
    async finish(markOf: (files: readonly WrittenFile[]) => object): Promise<readonly WrittenFile[]> {
      const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
      const text = `${JSON.stringify({ kind: kind.kind, ...markOf(sorted) }, null, 2)}\n`;
      // The mark proves that all files are complete, so it is written after they are on the disk.
      await flushed(sorted.map(({ path }) => join(staged, path)));
      const mark = { path: kind.markFile, ...put(kind.markFile, [Buffer.from(text, "utf8")]) };
      await flushed([join(staged, kind.markFile), ...folders]);
      writing(name, () => {
        assertReplaceable(output, kind);
        replaceFolder(staged, directory);
      });
      return [...sorted, mark];
    },
    /** Deletes an unfinished folder; what was at the final path stays. Always call it at the end. */
    drop() {
      process.off("exit", remove);
      remove();
    },
  };
}
