import { linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { PipelineError } from "../base/pipeline-error.ts";
import { inHome } from "./in-home.ts";
import type { Settings } from "./settings.ts";

const KEY_FILE = "voter-pseudonyms.key";
const KEY_BYTES = 32;
const KEY_TEXT = /^[0-9a-f]{64}\n$/;

/** Rights of others on a file. */
const OTHERS_MASK = 0o077;

const hasCode = (error: unknown, code: string): boolean =>
  error instanceof Error && "code" in error && error.code === code;

function modeOf(path: string): number | undefined {
  try {
    return statSync(path).mode;
  } catch (error) {
    if (hasCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

/** Undefined where the home has none. One that is there and cannot be used is not made again: all pseudonyms would change without a word. */
function readKey(path: string): Uint8Array | undefined {
  const mode = modeOf(path);
  if (mode === undefined) return undefined;
  if ((mode & OTHERS_MASK) !== 0) {
    throw new PipelineError("HOME_INVALID", `${KEY_FILE} in the home can be read by others`, {
      hint: `Whoever read it can name every voter of your exports: delete it for another one, or \`chmod 600\` it if nobody did.`,
    });
  }
  const text = readFileSync(path, "latin1");
  if (KEY_TEXT.test(text)) return Buffer.from(text.trimEnd(), "hex");
  throw new PipelineError("HOME_INVALID", `${KEY_FILE} in the home is no key`, {
    hint: "Put the right file back, or delete it: another one is made, and voters get other pseudonyms.",
  });
}

/** The secret under which this home names voters, made where there is none; never published. Throws `PipelineError` HOME_INVALID. */
export function pseudonymKey(
  { homeDirectory }: Settings,
  randomBytes: (count: number) => Uint8Array,
): Uint8Array {
  const path = join(homeDirectory, KEY_FILE);
  return inHome(homeDirectory, () => {
    const own = readKey(path);
    if (own !== undefined) return own;
    mkdirSync(homeDirectory, { recursive: true, mode: 0o700 });
    const key = Buffer.from(randomBytes(KEY_BYTES));
    const made = `${path}.${process.pid}.new`;
    rmSync(made, { force: true });
    writeFileSync(made, `${key.toString("hex")}\n`, { mode: 0o600, flag: "wx", flush: true });
    try {
      // A link and no rename: of two exports that make the first key at once, the second takes that of the first.
      linkSync(made, path);
    } catch (error) {
      if (!hasCode(error, "EEXIST")) throw error;
    } finally {
      rmSync(made, { force: true });
    }
    const kept = readKey(path);
    if (kept !== undefined) return kept;
    throw new PipelineError("HOME_INVALID", `${KEY_FILE} was made and is gone`);
  });
}
