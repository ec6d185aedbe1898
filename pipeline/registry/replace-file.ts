import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { PipelineError } from "../base/pipeline-error.ts";

/**
 * Replaces a file by what `edit` makes of its text: whole or not at all, on the disk when this returns, with the mode
 * and owner it had. Two edits cannot overtake each other: the new file's name is the lock. A link stays a link.
 * Throws `PipelineError` HOME_INVALID where the disk refuses; what `edit` throws goes through.
 */
export function replaceFile(path: string, edit: (text: string) => string): void {
  const name = basename(path);
  const target = onDisk(name, () => realpathSync(path));
  const staged = `${target}.new`;
  const file = onDisk(name, () => openSync(staged, "wx", 0o600));
  let isStaged = true;
  try {
    const before = onDisk(name, () => readFileSync(target, "utf8"));
    const after = edit(before);
    if (after === before) return;
    onDisk(name, () => fill(file, after, target));
    if (onDisk(name, () => readFileSync(target, "utf8")) !== before) {
      throw new PipelineError("HOME_INVALID", `${name} was changed by somebody else meanwhile`, {
        hint: "Nothing was written. Run the command again.",
      });
    }
    onDisk(name, () => renameSync(staged, target));
    isStaged = false;
    onDisk(name, () => syncDirectory(dirname(target)));
  } finally {
    closeSync(file);
    if (isStaged) rmSync(staged, { force: true });
  }
}

function fill(file: number, text: string, target: string): void {
  const { mode, uid, gid } = statSync(target);
  const made = fstatSync(file);
  // An administrator's edit must not take the file from the user whom the cron job runs as.
  if (made.uid !== uid || made.gid !== gid) fchownSync(file, uid, gid);
  fchmodSync(file, mode & 0o777);
  writeFileSync(file, text);
  fsyncSync(file);
}

/** The rename is on the disk only when its folder is. */
function syncDirectory(path: string): void {
  const folder = openSync(path, constants.O_RDONLY);
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

function onDisk<Result>(name: string, action: () => Result): Result {
  try {
    return action();
  } catch (cause) {
    if (!(cause instanceof Error && "code" in cause)) throw cause;
    if (cause.code === "EEXIST") {
      throw new PipelineError(
        "HOME_INVALID",
        `${name}.new is there: another edit is under way, or was cut off`,
        {
          cause,
          hint: `Nothing was written. Try again; where no other edit runs, delete ${name}.new first.`,
        },
      );
    }
    throw new PipelineError("HOME_INVALID", `${name} cannot be edited (${String(cause.code)})`, {
      cause,
      hint: "Nothing was written. Whoever edits it must be allowed to write to its folder.",
    });
  }
}
