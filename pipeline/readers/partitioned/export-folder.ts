import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { PipelineError } from "../../facts/errors.ts";
import {
  type OutputFile,
  onDisk,
  replaceFolder,
  type Written,
  writeUnflushed,
} from "../../home/atomic-write.ts";
import { isReplaceable } from "../owned-folder.ts";

const ABOUT_FILE = "about.json";

/** One file of an export. */
export interface ExportedFile extends Written {
  readonly path: string;
}

/** A folder that is being written beside its place. */
export type ExportFolder = ReturnType<typeof createExportFolder>;

/** Throws `PipelineError` BAD_OPTION where something lies that nobody allowed to go, or that is no export of ours. */
export function assertReplaceable({ path, isForced }: OutputFile): void {
  if (!existsSync(path)) return;
  if (!isForced) {
    throw new PipelineError("BAD_OPTION", `${path} already exists`, {
      hint: "Name another folder, or allow this one to be replaced with --force.",
    });
  }
  if (isReplaceable(path, ABOUT_FILE, "govdata-export")) return;
  throw new PipelineError("BAD_OPTION", `${path} exists and is not a partitioned export`, {
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

/** Does something with the disk; what that says against a file becomes `PipelineError` OUTPUT_FAILED. */
function writing<Result>(path: string, action: () => Result): Result {
  const hint = "Check that the folder around it is there, may be written to and has room.";
  return onDisk(
    "OUTPUT_FAILED",
    (code) => ({ message: `${path} cannot be written (${code})`, hint }),
    action,
  );
}

/** Starts a folder beside its place. Throws `PipelineError` BAD_OPTION where that is taken, OUTPUT_FAILED where it cannot be made. */
export function createExportFolder(output: OutputFile) {
  assertReplaceable(output);
  const directory = resolve(output.path);
  const name = basename(directory);
  const staged = `${directory}.${output.runId}.partial`;
  const folders = new Set([staged]);
  const files: ExportedFile[] = [];

  const remove = (): void => rmSync(staged, { recursive: true, force: true });
  const write = (path: string, chunks: Iterable<Uint8Array>): Written =>
    writing(path, () => {
      const target = join(staged, path);
      for (let folder = dirname(target); !folders.has(folder); folder = dirname(folder)) folders.add(folder);
      mkdirSync(dirname(target), { recursive: true });
      return writeUnflushed(target, chunks);
    });
  const flushed = (paths: Iterable<string>): Promise<void> =>
    flush(paths).catch((cause: unknown) =>
      writing(name, () => {
        throw cause;
      }),
    );

  writing(name, () => mkdirSync(staged));
  // An interrupt ends the process without coming back here.
  process.once("exit", remove);
  return {
    /** Writes one file; throws `PipelineError` OUTPUT_FAILED. */
    put(path: string, chunks: Iterable<Uint8Array>): Written {
      const written = write(path, chunks);
      files.push({ path, ...written });
      return written;
    },
    /** Writes `about.json` last of all and puts the folder in its place; answers all files. Throws `PipelineError`. */
    async finish(aboutOf: (files: readonly ExportedFile[]) => object): Promise<readonly ExportedFile[]> {
      const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
      const text = `${JSON.stringify(aboutOf(sorted), null, 2)}\n`;
      // The file that says that all are there is written once the disk has them.
      await flushed(sorted.map(({ path }) => join(staged, path)));
      const about = { path: ABOUT_FILE, ...write(ABOUT_FILE, [Buffer.from(text, "utf8")]) };
      await flushed([join(staged, ABOUT_FILE), ...folders]);
      writing(name, () => {
        assertReplaceable(output);
        replaceFolder(staged, directory);
      });
      return [...sorted, about];
    },
    /** Takes back what is not finished; what was in its place stays. To be called in the end in any case. */
    drop() {
      process.off("exit", remove);
      remove();
    },
  };
}

/** Copies the SQL of every measure beside the tables, as it lies in the package. */
export function putQueries(folder: ExportFolder, packageDirectory: string): void {
  const sql = join(packageDirectory, "pipeline", "readers", "partitioned", "sql");
  if (!existsSync(sql)) return;
  for (const path of readdirSync(sql, { recursive: true, encoding: "utf8" })) {
    if (/^README\.md$|\.sql$/.test(path)) folder.put(`sql/${path}`, [readFileSync(join(sql, path))]);
  }
}
