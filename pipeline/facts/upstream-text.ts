import { cleanLink, cleanText, cleanTitle } from "../../snapshots/format/text.ts";

/**
 * Parses a URL; `undefined` if the text is none. Does not use `URL.canParse`: in Node 20 its result for non-ASCII hosts
 * changes once the function is compiled, and equal texts must always be judged alike.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** Longer texts are cut before cleaning, which takes many times their memory; at most 100 characters are published. */
const CLEANED_LENGTH_MAX = 10_000;

/** Cleans an upstream text for publication; `undefined` if nothing is left. */
export function upstreamText(text: string | null | undefined): string | undefined {
  const cleaned = cleanText(text?.slice(0, CLEANED_LENGTH_MAX) ?? "");
  return cleaned === "" ? undefined : cleaned;
}

export function upstreamTitle(text: string | null | undefined): string | undefined {
  const cleaned = cleanTitle(text?.slice(0, CLEANED_LENGTH_MAX) ?? "");
  return cleaned === "" ? undefined : cleaned;
}

/** Cleans an upstream link; `undefined` if it must not be published. */
export function upstreamLink(text: string | null | undefined, proposalId?: string): string | undefined {
  return cleanLink(text ?? "", proposalId);
}
