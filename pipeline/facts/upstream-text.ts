import { cleanLink, cleanText, cleanTitle } from "../../snapshots/format/text.ts";

/**
 * A text as a URL, or undefined where it is none. `URL.canParse` is not asked: once it is compiled, Node 20 answers
 * differently for a host beyond ASCII, and the same text must be judged the same way the ten thousandth time.
 */
export function parseUrl(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}

/** A hundred characters are published; cleaning takes many times the memory of what it cleans. */
const CLEANED_LENGTH_MAX = 10_000;

/** Text from outside as we remember it: what may be published of it; `undefined` where nothing is left. */
export function upstreamText(text: string | null | undefined): string | undefined {
  const cleaned = cleanText(text?.slice(0, CLEANED_LENGTH_MAX) ?? "");
  return cleaned === "" ? undefined : cleaned;
}

/** A proposal's title from outside, as `upstreamText`. */
export function upstreamTitle(text: string | null | undefined): string | undefined {
  const cleaned = cleanTitle(text?.slice(0, CLEANED_LENGTH_MAX) ?? "");
  return cleaned === "" ? undefined : cleaned;
}

/** A link from outside as we remember it; `undefined` where it cannot be published. */
export function upstreamLink(text: string | null | undefined, proposalId?: string): string | undefined {
  return cleanLink(text ?? "", proposalId);
}
