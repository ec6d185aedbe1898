import { z } from "zod";
import { TEXT_CODE_POINTS_MAX } from "./limits.ts";

/** An address as people read it where it has no name: `0x1234…abcd`. */
export function shortAddress(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** C0, C1, bidi controls, zero-width characters, BOM and line separators: what can make a name lie. */
const UNSAFE_CHARACTERS = /[\p{Cc}\u061C\u200B-\u200F\u2028-\u202E\u2060-\u2069\uFEFF]/gu;

/**
 * Text from outside as it may be published: well-formed, NFC, without control, bidi and zero-width
 * characters, at most 100 code points. May be empty; the caller decides what an empty name means.
 */
export function cleanText(text: string): string {
  const cleaned = text.toWellFormed().normalize("NFC").replace(UNSAFE_CHARACTERS, "").trim();
  return [...cleaned].slice(0, TEXT_CODE_POINTS_MAX).join("").trim();
}

/** A name or label that `cleanText` would leave as it is, and not empty. */
export const PublicText = z
  .string()
  .min(1)
  .refine((text) => cleanText(text) === text, "holds characters that are not published");

/** A sentence of any length without a character that can make it lie or drive a terminal, and not empty. */
export const PlainText = z
  .string()
  .min(1)
  .refine((text) => text.replace(UNSAFE_CHARACTERS, "") === text, "holds characters that are not published");
