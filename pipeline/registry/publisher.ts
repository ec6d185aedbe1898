import { z } from "zod";
import { Correction } from "../../snapshots/format/imprint.ts";
import { cleanLink, PublicText } from "../../snapshots/format/text.ts";
import type { Registry } from "../facts/tracked.ts";

const Link = z.string().transform((text, context) => {
  const link = cleanLink(text);
  if (link === undefined) context.addIssue("must be a link, such as https://data.example");
  return link ?? z.NEVER;
});

/** An email address, or a link to where errors are reported. */
const Contact = z.string().transform((text, context) => {
  const contact = cleanLink(text);
  if (contact !== undefined) return { contact };
  if (!z.email().safeParse(text).success)
    context.addIssue("must be an email address, or a link such as https://data.example/errors");
  return { email: text };
});

const Publisher = z
  .strictObject({ name: PublicText, url: Link.optional(), contact: Contact.optional() })
  .transform(({ name, url, contact }) => ({
    title: name,
    role: "publisher" as const,
    ...(url === undefined ? {} : { path: url }),
    ...contact,
  }));

/** An identifier of a licence, such as CC-BY-4.0; any other name only says something with a link. */
const LICENSE_ID = /^[-a-zA-Z0-9._+]+$/;

const License = z
  .strictObject({ name: PublicText, url: Link.optional() })
  .refine(({ name, url }) => url !== undefined || LICENSE_ID.test(name), {
    path: ["name"],
    message: "must be an identifier such as CC-BY-4.0, or have a `url`",
  })
  .transform(({ name, url }) => ({
    ...(LICENSE_ID.test(name) ? { name } : { title: name }),
    ...(url === undefined ? {} : { path: url }),
  }));

export const PUBLISHER_FIELDS = {
  publisher: Publisher.optional(),
  license: License.optional(),
  invented: z.boolean().default(false),
  corrections: z.array(Correction).default([]),
};
const Fields = z.object(PUBLISHER_FIELDS);

/** What is published of these fields; nothing where nobody says anything. */
export function publisherOf({
  publisher,
  license,
  invented,
  corrections,
}: z.output<typeof Fields>): Pick<Registry, "imprint" | "corrections"> {
  return {
    imprint: {
      ...(publisher === undefined ? {} : { contributors: [publisher] }),
      ...(license === undefined ? {} : { licenses: [license] }),
      ...(invented ? { invented } : {}),
    },
    // An empty list would be a file that says nothing.
    ...(corrections.length === 0 ? {} : { corrections }),
  };
}
