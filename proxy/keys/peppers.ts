import { createHmac } from "node:crypto";
import { readFileSync, statSync } from "node:fs";
import { createOnce, writeNew } from "../../snapshots/base/durable-files.ts";
import { explainingFileFailures, operatorFailure } from "../operator-error.ts";
import type { RandomBytes } from "./key-format.ts";

/** The secret that makes stolen digests useless. Never in the database, never in a log. */
export type Pepper = string;

/** The newest pepper first: new keys are stored under it. There are several only during a rotation. */
export type Peppers = readonly [Pepper, ...Pepper[]];

/** The digest of a key that is stored: HMAC-SHA-256 under the pepper. */
export function keyDigest(pepper: Pepper, key: string): Buffer {
  return createHmac("sha256", pepper).update(key, "utf8").digest();
}

/** A fixed digest by which a database recognises the pepper that its keys were stored under. */
export function pepperCheck(pepper: Pepper): Buffer {
  return keyDigest(pepper, "govdata pepper check");
}

/** A thief of the database could guess a shorter pepper offline. */
const PEPPER_CHARACTERS_MIN = 32;
const PEPPER_BYTES = 32;

/** Each pepper costs every lookup one digest and one query; a rotation needs two peppers. */
const PEPPERS_MAX = 4;

/** Where peppers come from: a given text, or a file that only its owner may read. */
export interface PepperSource {
  readonly given: string | undefined;
  readonly path: string;
  /** False if keys exist already: a new pepper would silently make all of them invalid. */
  readonly mayCreate: boolean;
  readonly randomBytes: RandomBytes;
}

/**
 * Loads the peppers, one per line and the newest first: from `GOVDATA_PEPPER` if set, else from the file in the home,
 * which is created at first use with mode 0600. New keys are stored under the first one. Throws `OperatorFailure`.
 */
export function loadPeppers(source: PepperSource): Peppers {
  if (source.given !== undefined) return checked(source.given, "GOVDATA_PEPPER");
  return explainingFileFailures(`The pepper file ${source.path}`, () => loadFromFile(source));
}

function loadFromFile(source: PepperSource): Peppers {
  try {
    const exposed = (statSync(source.path).mode & 0o077) !== 0;
    if (exposed) {
      throw operatorFailure(
        "PEPPER_EXPOSED",
        "The pepper file can be read by users other than its owner.",
        `Run: chmod 600 ${source.path}`,
      );
    }
    return checked(readFileSync(source.path, "utf8"), "the pepper file");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  if (!source.mayCreate) {
    throw operatorFailure(
      "PEPPER_MISSING",
      "There are keys, but the pepper they were stored with is missing.",
      `Put the pepper back at ${source.path} or into GOVDATA_PEPPER; without it every key must be replaced.`,
    );
  }
  return createPepper(source);
}

/** If two first commands run at once, one creates the complete file, and the other reads it. */
function createPepper(source: PepperSource): Peppers {
  const pepper = Buffer.from(source.randomBytes(PEPPER_BYTES)).toString("hex");
  createOnce(source.path, (draft) => writeNew(draft, `${pepper}\n`));
  return loadFromFile({ ...source, mayCreate: false });
}

function checked(text: string, where: string): Peppers {
  const lines = text.split("\n").map((line) => line.trim());
  const [newest = "", ...earlier] = lines.filter((line) => line !== "");
  const peppers: Peppers = [newest, ...earlier];
  if (peppers.some((pepper) => pepper.startsWith("#"))) {
    throw operatorFailure(
      "PEPPER_INVALID",
      `A line in ${where} begins with #, as if it were a comment; every line there is a pepper.`,
      "Remove the line. If keys were stored with it as their pepper, replace them: it can be guessed.",
    );
  }
  if (peppers.some(isShort)) {
    throw operatorFailure(
      "PEPPER_INVALID",
      `A pepper in ${where} is shorter than ${PEPPER_CHARACTERS_MIN} characters.`,
      "Give at least 32 random characters a line, the newest pepper first.",
    );
  }
  if (peppers.length <= PEPPERS_MAX && new Set(peppers).size === peppers.length) return peppers;
  throw operatorFailure(
    "PEPPER_INVALID",
    `There are more than ${PEPPERS_MAX} peppers in ${where}, or the same one twice.`,
    "Remove those that no key uses any more: `key list` shows them by number.",
  );
}

function isShort(pepper: Pepper): boolean {
  return pepper.length < PEPPER_CHARACTERS_MIN;
}
