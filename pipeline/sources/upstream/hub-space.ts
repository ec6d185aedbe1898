import { z } from "zod";
import { AnyNumber } from "./any-number.ts";
import { textList } from "./text-list.ts";

const Addresses = textList().nullish();

/** The hub's object of one space, as far as we read it; every key but `id` may be missing. */
export const HubSpace = z.object({
  id: z.string(),
  name: z.string().nullish(),
  admins: Addresses,
  moderators: Addresses,
  filters: z.object({ onlyMembers: z.boolean().nullish() }).nullish(),
  validation: z.object({ name: z.string().nullish(), params: z.unknown().optional() }).nullish(),
  voting: z
    .object({
      period: AnyNumber.nullish(),
      quorum: AnyNumber.nullish(),
      quorumType: z.string().nullish(),
    })
    .nullish(),
});
export type HubSpace = z.infer<typeof HubSpace>;
