import { z } from "zod";

/** `delegates/<space_id>/<YYYY-MM-DD>.json`; its rows are read one by one, so that a bad one spoils no other. */
export const DelegateListFile = z.object({
  as_of: z.iso.datetime(),
  complete: z.boolean(),
  delegates: z.array(z.unknown()),
});
export type DelegateListFile = z.infer<typeof DelegateListFile>;

/** One delegate of such a file; `votes` in whole tokens, as decimal digits. */
export const DelegateRow = z.object({
  address: z.string(),
  votes: z.string(),
  delegators: z.int().min(0),
  ens: z.string().nullish(),
});
export type DelegateRow = z.infer<typeof DelegateRow>;
