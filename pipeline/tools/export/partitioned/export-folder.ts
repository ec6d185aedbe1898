import { existsSync, mkdirSync, rmSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { forEachInFlight } from "../../../../snapshots/base/concurrency.ts";
import {
  flush,
  replaceFolder,
  type Written,
  writeUnflushed,
} from "../../../../snapshots/base/durable-files.ts";
import { pipelineFailure } from "../../../facts/errors.ts";
import { type OutputFile, onDisk } from "../../../home/atomic-write.ts";
import { isReplaceable } from "../../owned-folder.ts";

const ABOUT_FILE = "about.json";

interface ExportedFile extends Written {
  readonly path: string;
}

/** A folder that is written next to its final path. */
export type ExportFolder = ReturnType<typeof createExportFolder>;

/** Throws `BAD_OPTION` if the path exists and may not be replaced, or is no partitioned export. */
function assertReplaceable({ path, isForced }: OutputFile): void {
  if (!existsSync(path)) return;
  if (!isForced) {
    throw pipelineFailure("BAD_OPTION", `${path} already exists`, {
      hint: "Use another folder, or replace this one with --force.",
    });
  }
  if (isReplaceable(path, ABOUT_FILE, "govdata-export")) return;
  throw pipelineFailure("BAD_OPTION", `${path} exists and is not a partitioned export`, {
    hint: "--force only replaces an empty folder or a whole earlier export.",
  });
}

/** Files flushed in parallel: a disk combines them, while thousands one by one would take minutes. */
const FLUSHED_AT_ONCE = 32;

function writing<Result>(path: string, action: () => Result): Result {
  const hint = "Check that its parent folder exists, is writable and has free space.";
  return onDisk(
    "OUTPUT_FAILED",
    (code) => ({ message: `${path} cannot be written (${code})`, hint }),
    action,
  );
}

/** Creates the folder next to its final path. Throws `BAD_OPTION` if that is taken, or OUTPUT_FAILED. */
export function createExportFolder(output: OutputFile) {
  assertReplaceable(output);
  const directory = resolve(output.path);
  const name = basename(directory);
  const staged = `${directory}.${output.runId}.partial`;
  const folders = new Set([staged]);
  const files: ExportedFile[] = [];

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

  writing(name, () => mkdirSync(staged));
  // An interrupt ends the process without calling `drop`.
  process.once("exit", remove);
  return {
    put,
    /** Writes `about.json` last, moves the folder to its final path and returns all files; throws `PipelineFailure`. */
    async finish(aboutOf: (files: readonly ExportedFile[]) => object): Promise<readonly ExportedFile[]> {
      const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
      const text = `${JSON.stringify(aboutOf(sorted), null, 2)}\n`;
      // `about.json` proves that all files are complete, so it is written after they are on the disk.
      await flushed(sorted.map(({ path }) => join(staged, path)));
      const about = { path: ABOUT_FILE, ...put(ABOUT_FILE, [Buffer.from(text, "utf8")]) };
      await flushed([join(staged, ABOUT_FILE), ...folders]);
      writing(name, () => {
        assertReplaceable(output);
        replaceFolder(staged, directory);
      });
      return [...sorted, about];
    },
    /** Deletes an unfinished folder; what was at the final path stays. Always call it at the end. */
    drop() {
      process.off("exit", remove);
      remove();
    },
  };
}
