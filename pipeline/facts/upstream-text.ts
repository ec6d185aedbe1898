import { cleanText } from "../../snapshots/format/text.ts";

/** Text from outside as we remember it: what may be published of it; `undefined` where nothing is left. */
export function upstreamText(text: string | null | undefined): string | undefined {
  const cleaned = cleanText(text ?? "");
  return cleaned === "" ? undefined : cleaned;
}
