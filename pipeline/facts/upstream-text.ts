import { cleanText } from "../../snapshots/format/text.ts";

/** A hundred characters are published; cleaning takes many times the memory of what it cleans. */
const CLEANED_LENGTH_MAX = 10_000;

/** Text from outside as we remember it: what may be published of it; `undefined` where nothing is left. */
export function upstreamText(text: string | null | undefined): string | undefined {
  const cleaned = cleanText(text?.slice(0, CLEANED_LENGTH_MAX) ?? "");
  return cleaned === "" ? undefined : cleaned;
}
