import { Option } from "commander";
import { isWithin } from "../../snapshots/base/command-line/public-folder.ts";
import { parseValue } from "../../snapshots/base/command-line/values.ts";
import type { CommandContext } from "../cli/options/command-context.ts";
import { pipelineFailure } from "../facts/errors.ts";
import { parseUrl } from "../facts/upstream-text.ts";
import type { OutputFile } from "../home/atomic-write.ts";

export function versionOption(): Option {
  return new Option("--version <name>", "a kept version, or `previous` (default: the current one)");
}

const BASE_URL = {
  /** Ends it with a slash. */
  parse(text: string) {
    const url = parseUrl(text);
    // Tests the text, as a URL object does not tell an empty query from none, and files would be appended to
    // the query.
    const isPlain = url !== undefined && !/[?#]/.test(text) && url.username + url.password === "";
    if (!isPlain || !/^https?:$/.test(url.protocol)) return undefined;
    return url.href.endsWith("/") ? url.href : `${url.href}/`;
  },
  wrong: "is not the URL of a web folder",
  hint: "For example: https://dao.example.org/report/",
};

/** Parses the URL of a web folder and ends it with a slash. Throws `BAD_OPTION` with the option. */
export const parseBaseUrl = (option: string, text: string): string => parseValue(BASE_URL, option, text);

export interface OutputFlags {
  readonly output?: string;
  readonly force?: boolean;
}

/** The file given by `-o`; `undefined` for stdout. Throws `BAD_OPTION` for an invalid one. */
export function outputFile(
  { settings, effects }: CommandContext,
  { output, force }: OutputFlags,
): OutputFile | undefined {
  if (output === undefined) return undefined;
  if (output === "") throw pipelineFailure("BAD_OPTION", "--output must name a file");
  if (isWithin(settings.snapshotsDirectory, output)) {
    throw pipelineFailure("BAD_OPTION", "--output must not be in the folder of --snapshots", {
      hint: "A version may contain only the files in its manifest.",
    });
  }
  return { path: output, isForced: force === true, runId: effects.runId };
}
