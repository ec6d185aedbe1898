import { z } from "zod";

/** A block of a chain as it is remembered. */
export const StoredBlock = z.object({ number: z.int().min(0), hash: z.string() });

const ProposalsNote = z.object({
  /** What the held proposals were made with; with anything else they are of no use. */
  basis: z.string(),
  /** The block up to which the governor's logs were read. */
  indexed: StoredBlock,
  /** Every proposal that may still change was created here or later. */
  fromBlock: z.int().min(0),
  /** Ids of the proposals created from there on. */
  younger: z.array(z.string()),
  /** Ids of older proposals that could not be taken. */
  refused: z.array(z.string()),
});

/** What a fetch from a chain tells the next one, beside what is held. */
export const GovernorNote = z.object({
  token: z.string(),
  /** The delegation of the token is held from this block on. */
  firstBlock: z.int().min(0),
  /** Where that fetch ended. */
  headBlock: z.int().min(0),
  proposals: ProposalsNote.optional(),
});
export type GovernorNote = z.infer<typeof GovernorNote>;

/** What a fetch of a governor's proposals tells the next one. */
export type ProposalsNote = z.infer<typeof ProposalsNote>;
