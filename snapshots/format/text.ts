import { z } from "zod";
import { replaceUnsafe } from "../base/plain-text.ts";
import { LINK_LENGTH_MAX, TEXT_CODE_POINTS_MAX, TITLE_CODE_POINTS_MAX } from "./limits.ts";

/** An address as shown to people if it has no name: `0x1234…abcd`. */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/**
 * Text from outside as it may be published: well-formed, NFC, without what `replaceUnsafe` removes, truncated to
 * `codePointsMax` code points. May be empty; the caller decides what an empty name means.
 */
export function cleanText(text: string, codePointsMax = TEXT_CODE_POINTS_MAX): string {
  const cleaned = replaceUnsafe(text).normalize("NFC").trim();
  return [...cleaned].slice(0, codePointsMax).join("").trim();
}

/** Matches what may be a wallet, even a truncated one, or an entity's ID. */
const ACCOUNT = /0x[0-9a-f]{12,}|[0-9a-f]{40,}|ent_[0-9a-z]{26}/gi;

/** A proposal's title as it may be published: cleaned, on one line, with `[…]` for every account. */
export function cleanTitle(text: string): string {
  const line = cleanText(text.replace(/\s/g, " "), text.length).replace(/ +/g, " ");
  return cleanText(line.replace(ACCOUNT, "[…]"), TITLE_CODE_POINTS_MAX);
}

/** A link from outside as it may be published; undefined if it is no web link, has credentials or names an account. */
export function cleanLink(text: string, proposalId = ""): string | undefined {
  const link = webLink(text);
  // The ID of a proposal may be a number as long as an account.
  return link?.replace(proposalId, "").search(ACCOUNT) === -1 ? link : undefined;
}

/** A web link normalized to ASCII, so that no character reverses or hides a part of it. */
function webLink(text: string): string | undefined {
  if (text.length > LINK_LENGTH_MAX) return undefined;
  try {
    const { protocol, username, password, href } = new URL(text);
    const isOfWeb = protocol === "https:" || protocol === "http:";
    return isOfWeb && username + password === "" && href.length <= LINK_LENGTH_MAX ? href : undefined;
  } catch {
    return undefined;
  }
}

export const PublicText = z
  .string()
  .min(1)
  .refine((text) => cleanText(text) === text, "contains characters that are not published")
  .meta({ id: "Text", description: "A name, without control characters.", examples: ["Tidewater"] });

export const PublicTitle = z
  .string()
  .min(1)
  .refine((text) => cleanTitle(text) === text, "is not a cleaned title");

export const PublicLink = z.string().refine((text) => webLink(text) === text, "is not a normalized web link");

/** A non-empty text of any length that `replaceUnsafe` leaves unchanged. */
export const PlainText = z
  .string()
  .min(1)
  .refine((text) => replaceUnsafe(text) === text, "contains characters that are not published");

const SENTENCES_LENGTH_MAX = 2_000;

/** A publisher's own sentences, on one line. An account in them could not be hidden if its owner opts out later. */
export const PublicSentences = PlainText.max(SENTENCES_LENGTH_MAX).refine(
  (text) => text.search(ACCOUNT) === -1,
  "must not contain the address of a wallet or the id of an entity",
);
