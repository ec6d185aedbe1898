import { z } from "zod";
import { LINK_LENGTH_MAX, TEXT_CODE_POINTS_MAX, TITLE_CODE_POINTS_MAX } from "./limits.ts";

/** An address as people read it where it has no name: `0x1234…abcd`. */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/**
 * What can make a text lie or drive a terminal: controls, whatever turns the direction of writing, whatever is not seen, and
 * what is no character. Only the sign after a pictograph that asks for its coloured form stays. Joiners go: a family
 * of emoji becomes its members, which everybody sees, and no cut can leave one behind.
 */
const UNSAFE_CHARACTERS =
  /(?!(?<=\p{Extended_Pictographic})\uFE0F)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

/** A text with something else, or nothing, for every character that can make it lie or drive a terminal. */
export function replaceUnsafe(text: string, by = ""): string {
  return text.toWellFormed().replace(UNSAFE_CHARACTERS, by);
}

/**
 * Text from outside as it may be published: well-formed, NFC, without what `replaceUnsafe` takes out, at most so many code
 * points. May be empty; the caller decides what an empty name means.
 */
export function cleanText(text: string, codePointsMax = TEXT_CODE_POINTS_MAX): string {
  const cleaned = replaceUnsafe(text).normalize("NFC").trim();
  return [...cleaned].slice(0, codePointsMax).join("").trim();
}

/** What may name a wallet, also one that was cut off at the end of a text, or is an entity's id. */
const ACCOUNT = /0x[0-9a-f]{12,}|[0-9a-f]{40,}|ent_[0-9a-z]{26}/gi;

/** A proposal's title as it may be published: cleaned, on one line, with `[…]` for every account: nobody is named by a wallet. */
export function cleanTitle(text: string): string {
  const line = cleanText(text.replace(/\s/g, " "), text.length).replace(/ +/g, " ");
  return cleanText(line.replace(ACCOUNT, "[…]"), TITLE_CODE_POINTS_MAX);
}

/** A link from outside as it may be published; `undefined` for what is none of the web, has credentials or leads to an account. */
export function cleanLink(text: string, proposalId = ""): string | undefined {
  const link = webLink(text);
  // The id of a proposal may be a number as long as an account's.
  return link?.replace(proposalId, "").search(ACCOUNT) === -1 ? link : undefined;
}

/** In ASCII, as URLs are spelled: nothing in it turns or hides. */
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

/** A name or label that `cleanText` would leave as it is, and not empty. */
export const PublicText = z
  .string()
  .min(1)
  .refine((text) => cleanText(text) === text, "holds characters that are not published")
  .meta({ id: "Text", description: "A name, without control characters.", examples: ["Tidewater"] });

/** A title that `cleanTitle` would leave as it is, and not empty. */
export const PublicTitle = z
  .string()
  .min(1)
  .refine((text) => cleanTitle(text) === text, "is not a title as it is published");

/** A link of the web, spelled as URLs are, without credentials. */
export const PublicLink = z
  .string()
  .refine((text) => webLink(text) === text, "is not a link as it is published");

/** A sentence of any length without a character that can make it lie or drive a terminal, and not empty. */
export const PlainText = z
  .string()
  .min(1)
  .refine((text) => replaceUnsafe(text) === text, "holds characters that are not published");
