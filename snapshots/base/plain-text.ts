/**
 * Characters that can make a text deceptive or control a terminal: control, bidirectional and invisible characters, and
 * non-characters. Only the variation selector for a coloured pictograph stays. Joiners are removed: an emoji family
 * becomes its visible members, and truncation cannot leave a joiner behind.
 */
const UNSAFE_CHARACTERS =
  /(?!(?<=\p{Extended_Pictographic})\uFE0F)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/gu;

/** Replaces or removes every character that can make a text deceptive or control a terminal. */
export function replaceUnsafe(text: string, replacement = ""): string {
  return text.toWellFormed().replace(UNSAFE_CHARACTERS, replacement);
}

/** Most texts are plain; looking for anything else costs a tenth of replacing it. */
const PLAIN = /^[\n\t\x20-\x7E]*$/;

/** A text of lines as a terminal or a log may get it: what is published or named by somebody else must not steer it. */
export function printable(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replaceAll(/[^\n\t]+/g, (run) => replaceUnsafe(run, "?"));
}

/** A text from outside as one line of a message, which it must not end. */
export function printableLine(text: string): string {
  return PLAIN.test(text) ? text.replaceAll(/[\n\t]/g, "?") : replaceUnsafe(text, "?");
}
