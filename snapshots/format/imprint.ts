import { z } from "zod";
import { IsoDate, VersionName } from "./ids.ts";
import { PublicLink, PublicSentences, PublicText } from "./text.ts";

/** Whom to write to: a link, or else an email address, which the standard knows. */
const Publisher = z.strictObject({
  title: PublicText,
  role: z.literal("publisher"),
  path: PublicLink.exactOptional(),
  email: z.email().exactOptional(),
  contact: PublicLink.exactOptional(),
});

/** `name` is an identifier such as `CC-BY-4.0`; a licence without one has a title and a link. */
const License = z.strictObject({
  name: z
    .string()
    .regex(/^[-a-zA-Z0-9._+]+$/)
    .exactOptional(),
  title: PublicText.exactOptional(),
  path: PublicLink.exactOptional(),
});

/** What the publisher says about a version, in the words of the Data Package standard; absent is not said. */
export const IMPRINT = {
  contributors: z.tuple([Publisher]).exactOptional(),
  licenses: z.tuple([License]).exactOptional(),
  invented: z.literal(true).exactOptional(),
};
const Imprint = z.object(IMPRINT);
export type Imprint = z.infer<typeof Imprint>;

/** The imprint among other properties. */
export const imprintOf = (described: Imprint): Imprint => Imprint.parse(described);

/** An error in published numbers: what was wrong, what was changed, and which versions have it. */
export const Correction = z.strictObject({
  date: IsoDate,
  wrong: PublicSentences,
  changed: PublicSentences,
  versions: z.array(VersionName).min(1).exactOptional(),
});
export type Correction = z.infer<typeof Correction>;

/** `corrections.json`: the oldest first; a version without one records none. */
export const CorrectionList = z.array(Correction).min(1);
